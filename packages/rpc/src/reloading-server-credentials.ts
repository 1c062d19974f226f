import { constants } from 'node:crypto';
import { createSecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';
import { tlsKeyExchanges } from '@nodewright/contract/tls-groups';
import { Fault } from '@nodewright/fault';

/** The certificate and key of a server, both PEM. The key has a label that OpenSSL accepts. */
export interface ServerIdentity {
  readonly certificate: string;
  readonly key: string;
}

export interface ReloadingServerCredentialsInit extends ServerIdentity {
  readonly minVersion: SecureVersion;
}

/**
 * Throws when the pair is unusable. Checked before the library gets the pair: with a broken one, every later
 * handshake would fail.
 */
function secureContextOptions(init: ReloadingServerCredentialsInit): SecureContextOptions {
  // Node accepts an empty certificate and creates a context without one; every handshake then fails.
  for (const part of ['certificate', 'key'] as const) {
    if (init[part] === '') throw new Fault('invalid-argument', `the server's ${part} is empty`);
  }
  const options: SecureContextOptions = {
    cert: init.certificate,
    key: init.key,
    minVersion: init.minVersion,
    ecdhCurve: tlsKeyExchanges,
    // No session resumption: each connection is authenticated with the current certificates.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
  try {
    createSecureContext(options);
  } catch (error) {
    // OpenSSL's messages name functions and reasons, never key content.
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault('invalid-argument', `the server's certificate or key cannot be used: ${reason}`, {
      cause: error,
    });
  }
  return options;
}

/**
 * TLS for a server whose certificate is replaced while it runs. Handshakes after `reload` use the new
 * certificate; established connections stay open. Requests no client certificate, offers ALPN `h2`, resumes
 * no sessions.
 */
export class ReloadingServerCredentials extends ServerCredentials {
  readonly #minVersion: SecureVersion;

  /** Throws a Fault `invalid-argument` when the certificate and the key do not match. */
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
