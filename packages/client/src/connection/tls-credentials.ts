import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, createSecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { CallCredentials, ChannelCredentials } from '@grpc/grpc-js';
import { tlsKeyExchanges } from '@nodewright/contract/tls-groups';
import { Fault } from '@nodewright/fault';
import { publicKeyFingerprint, tlsPrivateKey } from '@nodewright/pki';
import type { ClientIdentity } from './client-identity.ts';
import type { ConnectionAttempt } from './connection-attempt.ts';
import { readRefusal, ServerRefusal } from './read-refusal.ts';

type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** Which server certificates are accepted. */
export type ServerTrust =
  /** The certificate is signed by the identity's CA and valid for the dialled host. */
  | { readonly kind: 'verified' }
  /**
   * Only a certificate with a listed public key; its issuer and its host names do not matter. For a worker that waits for its
   * certificate.
   */
  | { readonly kind: 'pinned'; readonly fingerprints: readonly string[] }
  /**
   * Any certificate or, with fingerprints, only one with a listed public key. For nodes without a
   * configuration.
   */
  | { readonly kind: 'insecure'; readonly fingerprints: readonly string[] };

export interface TlsCredentialsInit {
  /** The host to dial. An IP address must be among the certificate's addresses, and sends no server name. */
  readonly host: string;
  readonly identity: ClientIdentity;
  readonly trust: ServerTrust;
  readonly attempt: ConnectionAttempt;
}

function connectionOptions({ host, identity, trust }: TlsCredentialsInit): ConnectionOptions {
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ecdhCurve: tlsKeyExchanges,
    ca: identity.ca,
    cert: identity.certificate,
    key: identity.key === undefined ? undefined : tlsPrivateKey(identity.key.reveal()),
  });
  return {
    secureContext,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ['h2'],
    rejectUnauthorized: trust.kind === 'verified',
  };
}

function checkFingerprint(socket: TLSSocket, trust: ServerTrust): Error | undefined {
  if (trust.kind === 'verified') return undefined;
  if (trust.kind === 'insecure' && trust.fingerprints.length === 0) return undefined;
  const certificate = socket.getPeerX509Certificate();
  const found = certificate === undefined ? 'none' : publicKeyFingerprint(certificate.publicKey);
  if (trust.fingerprints.includes(found)) return undefined;
  return new Fault(
    'unauthenticated',
    `its certificate has the fingerprint ${found}, which is not among those allowed`,
  );
}

/**
 * TLS credentials for one endpoint. The credentials of the library cannot dial an IP address on this version
 * of Node.js, because they require a server name. They also cannot check a fingerprint, nor report at which
 * stage TLS failed.
 */
export class TlsCredentials extends ChannelCredentials implements Disposable {
  readonly #init: TlsCredentialsInit;
  readonly #options: ConnectionOptions;
  readonly #sockets = new Set<TLSSocket>();

  constructor(init: TlsCredentialsInit) {
    super();
    this.#init = init;
    this.#options = connectionOptions(init);
  }

  override _isSecure(): boolean {
    return true;
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other;
  }

  override _createSecureConnector(
    _target: unknown,
    _options: unknown,
    calls?: CallCredentials,
  ): SecureConnector {
    return {
      connect: async (socket) => ({ socket: await this.#connect(socket), secure: true }),
      waitForReady: async () => {},
      getCallCredentials: () => calls ?? CallCredentials.createEmpty(),
      destroy: () => {},
    };
  }

  #connect(socket: Socket): Promise<TLSSocket> {
    const { attempt, trust } = this.#init;
    attempt.reached('handshake');
    return new Promise((resolve, reject) => {
      const secured = tlsConnect({ ...this.#options, socket }, () => {
        const refusal = checkFingerprint(secured, trust);
        if (refusal !== undefined) {
          secured.destroy(refusal);
          return;
        }
        attempt.reached('presented');
        readRefusal(secured).then((reason) => {
          if (reason === undefined) resolve(secured);
          else secured.destroy(new ServerRefusal(reason));
        }, reject);
      });
      this.#sockets.add(secured);
      // Keep the listener for the life of the socket: TLS 1.3 reports a refused client certificate after the
      // handshake.
      secured.on('error', (error) => {
        attempt.failed(error);
        reject(error);
      });
      secured.once('close', () => {
        this.#sockets.delete(secured);
        const error = new Error('the connection was closed');
        attempt.failed(error);
        reject(error);
      });
    });
  }

  /**
   * Destroys the open sockets. The library closes established connections, but not those still in a
   * handshake.
   */
  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
