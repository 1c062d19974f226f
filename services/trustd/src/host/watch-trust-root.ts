import { createSecureContext } from 'node:tls';
import { watchFile } from '@nodewright/daemon';
import { faultFrom } from '@nodewright/fault';
import { tlsPrivateKey } from '@nodewright/pki';
import type { Logger } from '@nodewright/telemetry';
import { parseTrustRoot, type TrustRoot } from '../domain/trust-root.ts';

/** Throws when OpenSSL would not serve with the certificate and its key: better now than at the next handshake. */
function assertUsable({ server }: TrustRoot): void {
  createSecureContext({ cert: server.certificate, key: tlsPrivateKey(server.key) });
}

/**
 * The trust root in the runtime file, and each later one. A file that is broken or gone is logged and passed over:
 * the last good root goes on serving. Ends when `signal` aborts.
 */
export async function* watchTrustRoot(
  path: string,
  { signal, log }: { signal: AbortSignal; log: Logger },
): AsyncGenerator<TrustRoot, void, undefined> {
  for await (const bytes of watchFile(path, { signal })) {
    if (bytes === undefined) {
      log.info({ path }, 'no runtime file');
      continue;
    }
    try {
      const root = parseTrustRoot(bytes);
      assertUsable(root);
      yield root;
    } catch (error) {
      log.error({ path, error: faultFrom(error).message }, 'runtime file ignored');
    }
  }
}
