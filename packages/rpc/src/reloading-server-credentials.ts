import { constants } from 'node:crypto';
import { createSecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';
import { Fault } from '@nodewright/fault';

/** Who a server says it is. Both PEM; the key under a label that OpenSSL takes. */
export interface ServerIdentity {
  readonly certificate: string;
  readonly key: string;
}

export interface ReloadingServerCredentialsInit extends ServerIdentity {
  readonly minVersion: SecureVersion;
}

/**
 * Throws when the pair is unusable. Asked before the library gets it: given a broken pair, it would answer nobody any
 * more.
 */
function secureContextOptions(init: ReloadingServerCredentialsInit): SecureContextOptions {
  // Node makes a context without a certificate from an empty one, and every handshake then fails.
  for (const part of ['certificate', 'key'] as const) {
    if (init[part] === '') throw new Fault('invalid-argument', `the server's ${part} is empty`);
  }
  const options: SecureContextOptions = {
    cert: init.certificate,
    key: init.key,
    minVersion: init.minVersion,
    // No resumption: each connection proves itself against what is true now.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
  try {
    createSecureContext(options);
  } catch (error) {
    // What OpenSSL says names functions and reasons, never content.
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault('invalid-argument', `the server's certificate or key cannot be used: ${reason}`, {
      cause: error,
    });
  }
  return options;
}

/**
 * TLS for a server whose certificate is replaced while it runs: handshakes after `reload` see the new one, established
 * connections stay. Asks no certificate of the client, offers ALPN `h2`, resumes no sessions.
 */
export class ReloadingServerCredentials extends ServerCredentials {
  readonly #minVersion: SecureVersion;

  /** Throws a Fault `invalid-argument` when certificate and key do not go together. */
  constructor(init: ReloadingServerCredentialsInit) {
    super({ requestCert: false, ALPNProtocols: ['h2'] }, secureContextOptions(init));
    this.#minVersion = init.minVersion;
  }

  /** Throws a Fault `invalid-argument`, and keeps the former pair, when the new one cannot be used. */
  reload({ certificate, key }: ServerIdentity): void {
    this.updateSecureContextOptions(secureContextOptions({ certificate, key, minVersion: this.#minVersion }));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}
