import { createSecureContext } from 'node:tls';
import { faultFrom } from '@nodewright/fault';
import { tlsPrivateKey } from '@nodewright/pki';
import { dialState, followState, one } from '@nodewright/state/follow';
import { osRootSecrets, trustdCertificates } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { type TrustRoot, trustRootFrom } from '../domain/trust-root.ts';

/** The resources that trustd watches. */
const followed = { certificates: one(trustdCertificates, 'trustd'), root: one(osRootSecrets, 'os') };

/**
 * Throws when OpenSSL cannot use the certificate and its key, so that the error appears before the next
 * handshake.
 */
function assertUsable({ server }: TrustRoot): void {
  createSecureContext({ cert: server.certificate, key: tlsPrivateKey(server.key) });
}

/**
 * Yields the root of trust that machined serves on `socket`, and each later one. An invalid root is logged
 * and skipped. When the root is removed or machined is away, trustd keeps the last valid root. Ends when
 * `signal` aborts.
 */
export async function* watchTrustRoot(
  socket: string,
  { signal, log }: { signal: AbortSignal; log: Logger },
): AsyncGenerator<TrustRoot, void, undefined> {
  const connect = (dialSignal: AbortSignal) => dialState(socket, dialSignal);
  const onBroken = ({ message }: Error, retryMs: number) => {
    log.warn({ socket, error: message, retryMs }, "the node's state cannot be read");
  };
  for await (const known of followState({ followed, connect, signal, onBroken })) {
    if (known === undefined) continue;
    try {
      const root = trustRootFrom(known.view);
      if (root === undefined) {
        log.info('no root of trust');
        continue;
      }
      assertUsable(root);
      yield root;
    } catch (error) {
      log.error({ error: faultFrom(error).message }, 'root of trust ignored');
    }
  }
}
