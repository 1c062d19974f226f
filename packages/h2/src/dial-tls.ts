import { isIP, isIPv6, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import {
  type ConnectionOptions,
  checkServerIdentity,
  connect,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { tlsKeyExchanges } from '@nodewright/contract/tls-groups';
import { connected } from './dial-unix.ts';

export interface TlsDial {
  /** IP addresses, the preferred one first; at least one. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** The name that the backend's certificate must have: a DNS name or an IP address. */
  readonly identity: string;
  readonly credentials: SecureContext;
}

export interface TlsIdentity {
  /** Both PEM. The private key is a secret. */
  readonly certificate: string;
  readonly key: string;
  /** PEM; each entry may hold several certificates. */
  readonly acceptedCas: readonly string[];
}

/** What `dialTls()` needs of an identity. To parse it takes a millisecond, five times as long as a dial that is refused. */
export function tlsCredentials({ certificate, key, acceptedCas }: TlsIdentity): SecureContext {
  return createSecureContext({
    minVersion: 'TLSv1.3',
    ecdhCurve: tlsKeyExchanges,
    ca: [...acceptedCas],
    cert: certificate,
    key,
  });
}

/** How long to try one address before the next one is tried in parallel, in milliseconds. */
const attemptTimeoutMs = 2000;

/**
 * Connects with TLS 1.3 and a client certificate. SNI is sent for DNS names only, because it cannot hold an
 * address. The server's certificate is checked against `identity` in both cases. Rejects with an Error whose
 * message is a phrase.
 */
export async function dialTls(dial: TlsDial, signal: AbortSignal): Promise<TLSSocket> {
  const { addresses, port, identity } = dial;
  const lookup: LookupFunction = (_host, options, done) => {
    const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    const [first] = found;
    if (options.all === true) done(null, found);
    else done(null, first?.address ?? '', first?.family);
  };
  const options: ConnectionOptions & TcpNetConnectOpts = {
    // Node calls `lookup` only for a host name, so several addresses need a placeholder name.
    ...(addresses.length === 1 ? { host: addresses[0] } : { host: 'backend', lookup }),
    port,
    ...(isIP(identity) === 0 ? { servername: identity } : {}),
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    ALPNProtocols: ['h2'],
    secureContext: dial.credentials,
    checkServerIdentity: (_host, certificate) => checkServerIdentity(identity, certificate),
  };
  const socket = connect(options);
  socket.setKeepAlive(true, 15_000);
  try {
    return await connected(socket, 'secureConnect', signal);
  } catch (error) {
    throw new Error(tlsDialPhrase(error, identity), { cause: error });
  }
}

/** Why a connect or its TLS handshake failed, as a phrase. */
function tlsDialPhrase(error: unknown, identity: string): string {
  if (error instanceof AggregateError) {
    return [...new Set(error.errors.map((part) => tlsDialPhrase(part, identity)))].join('; ');
  }
  const { code = '', message, reason } = error as NodeJS.ErrnoException & { reason?: string };
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `its certificate is not for "${identity}": ${lowerFirst(reason ?? message)}`;
    case 'CERT_HAS_EXPIRED':
      return 'its certificate has expired';
    case 'CERT_NOT_YET_VALID':
      return 'its certificate is not valid yet';
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return "its certificate is not issued by one of this cluster's authorities";
    case 'INVALID_PURPOSE':
      return 'its certificate is not for servers';
    case 'ECONNRESET':
      return 'it closed the connection during the handshake';
    default:
      return code.startsWith('ERR_SSL_') ? `TLS handshake failed: ${reason ?? message}` : message;
  }
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
