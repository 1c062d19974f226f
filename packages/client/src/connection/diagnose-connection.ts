import { Fault } from '@nodewright/fault';
import { Http2Violation } from '@nodewright/h2/client';
import { clientCertificateProblem } from '@nodewright/pki';
import type { HttpProxy } from '../proxy.ts';
import type { ClientIdentity } from './client-identity.ts';
import type { ConnectionAttempt } from './connection-attempt.ts';
import type { Endpoint } from './endpoint.ts';
import { probeDial } from './probe-dial.ts';
import { ServerRefusal } from './read-refusal.ts';
import type { ServerTrust } from './tls-connection.ts';

export interface ConnectionFailure {
  readonly endpoint: Endpoint;
  /** The proxy of the context. */
  readonly proxy: HttpProxy | undefined;
  readonly attempt: ConnectionAttempt;
  readonly identity: ClientIdentity;
  readonly trust: ServerTrust;
  readonly now: Date;
}

/** Texts for the OpenSSL and Node.js error codes with which a server's certificate is rejected. */
const serverProblems: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate is not issued by the CA of this context",
  UNABLE_TO_GET_ISSUER_CERT: "the server's certificate is not issued by the CA of this context",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate is not issued by the CA of this context",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is not issued by the CA of this context",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "the server's certificate is self-signed and not issued by the CA of this context",
  CERT_SIGNATURE_FAILURE: "the server's certificate is not issued by the CA of this context",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet (is the clock right?)",
  INVALID_PURPOSE: "the server's certificate is not meant for servers",
};

function errorCode(error: Error): string {
  return String((error as NodeJS.ErrnoException).code ?? '');
}

function serverProblem(error: Error): string | undefined {
  const code = errorCode(error);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const { reason } = error as { reason?: string };
    return `the server's certificate is for another host (${reason ?? error.message})`;
  }
  if (error instanceof Fault || error instanceof Http2Violation) return error.message;
  // It knows ALPN, and none of its protocols is HTTP/2.
  if (code.includes('ALERT_NO_APPLICATION_PROTOCOL')) return 'it does not speak HTTP/2';
  return Object.hasOwn(serverProblems, code) ? serverProblems[code] : undefined;
}

/** Whether the server closed or rejected the connection, as far as the TLS error shows it. */
function isRefusal(error: Error): boolean {
  const code = errorCode(error);
  return code === '' || code === 'ECONNRESET' || code === 'EPIPE' || code.includes('ALERT');
}

async function diagnoseProxy(proxy: HttpProxy): Promise<string> {
  const problem = (await probeDial(proxy)) ?? 'it did not let the connection through';
  return `proxy ${proxy.host}:${proxy.port}: ${problem}`;
}

/**
 * Returns a short text that says why an endpoint could not be used. A server that closes the connection after
 * it received the client certificate need not give a reason. The certificate is therefore checked first: it
 * may be missing, expired, not valid yet, issued for another purpose, or issued by another CA than the
 * context's.
 */
export async function diagnoseConnection(failure: ConnectionFailure): Promise<string> {
  const { endpoint, proxy, attempt, identity, trust, now } = failure;
  const { stage, error } = attempt;
  if (stage === 'dial' || error === undefined) {
    if (proxy !== undefined) return diagnoseProxy(proxy);
    return (await probeDial(endpoint)) ?? 'the connection was lost';
  }
  const distrust = serverProblem(error);
  if (distrust !== undefined) return distrust;
  if (stage === 'handshake' && errorCode(error) === 'EPROTO') return 'it does not speak TLS';
  const reported = error instanceof ServerRefusal ? error.message : undefined;
  if (reported === undefined && !isRefusal(error))
    return /wrong version number/i.test(error.message) ? 'it does not speak TLS' : error.message;

  if (trust.kind === 'insecure') return 'it asks for a client certificate: it is not in maintenance mode';
  const own = clientCertificateProblem({ certificate: identity.certificate, ca: identity.ca, now });
  if (own !== undefined || reported !== undefined)
    return `it refused the connection: ${own?.text ?? reported}`;
  return stage === 'presented'
    ? 'it closed the connection after it got our certificate'
    : 'it closed the connection during the TLS handshake';
}
