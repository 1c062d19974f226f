import { isIP } from 'node:net';
import { type ConnectionOptions, createSecureContext, type TLSSocket } from 'node:tls';
import { tlsKeyExchanges } from '@nodewright/contract/tls-groups';
import { Fault } from '@nodewright/fault';
import { publicKeyFingerprint, tlsPrivateKey } from '@nodewright/pki';
import type { ClientIdentity } from './client-identity.ts';
import type { ConnectionAttempt } from './connection-attempt.ts';
import { readRefusal, ServerRefusal } from './read-refusal.ts';

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

export interface TlsInit {
  /** The host to dial. An IP address must be among the certificate's addresses, and sends no server name. */
  readonly host: string;
  readonly identity: ClientIdentity;
  readonly trust: ServerTrust;
  readonly attempt: ConnectionAttempt;
}

/** How to connect with TLS, but for the socket and the port. @throws Error for a certificate or a key that TLS cannot use */
export function tlsOptions({ host, identity, trust }: Omit<TlsInit, 'attempt'>): ConnectionOptions {
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
 * Resolves with the socket when its server is trusted and has not refused the client at once. Otherwise rejects, and `attempt` has the
 * stage and the error. An error before TCP is connected is not recorded.
 */
export function establish(
  socket: TLSSocket,
  { attempt, trust }: Pick<TlsInit, 'attempt' | 'trust'>,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => {
      if (attempt.stage !== 'dial') attempt.failed(error);
      reject(error);
    };
    socket.once('secureConnect', () => {
      const refusal = checkFingerprint(socket, trust);
      if (refusal !== undefined) {
        socket.destroy(refusal);
        return;
      }
      attempt.reached('presented');
      readRefusal(socket).then((reason) => {
        if (reason === undefined) resolve(socket);
        else socket.destroy(new ServerRefusal(reason));
      }, reject);
    });
    // Keep the listener for the life of the socket: TLS 1.3 reports a refused client certificate after the
    // handshake.
    socket.on('error', failed);
    socket.once('close', () => failed(new Error('the connection was closed')));
  });
}
