import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';

export interface ServerKeyPair {
  /** PEM; the leaf first. */
  readonly certificate: string;
  /** PEM under a label that OpenSSL knows. */
  readonly key: string;
}

/** Source: Talos v1.14 takes TLS 1.2; here both ends of every connection speak 1.3. */
const minVersion = 'TLSv1.3';

const contextOptions = ({ certificate, key }: ServerKeyPair): SecureContextOptions => ({
  cert: certificate,
  key,
  minVersion,
});

/**
 * Server side TLS without client certificates, whose own certificate can be replaced: new handshakes get the new
 * one, open connections stay.
 */
export class ReloadingServerCredentials extends ServerCredentials {
  constructor(keyPair: ServerKeyPair) {
    // No session tickets: a resumed session would outlive the certificate it was made with.
    super({ minVersion, secureOptions: constants.SSL_OP_NO_TICKET }, contextOptions(keyPair));
  }

  /** Throws when the certificate and the key cannot be used together; the old pair then stays. */
  reload(keyPair: ServerKeyPair): void {
    this.updateSecureContextOptions(contextOptions(keyPair));
  }

  override _isSecure(): boolean {
    return true;
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}
