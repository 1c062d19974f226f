import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import type { Agent as TlsAgent } from 'node:https';
import { Fault, faultFrom } from '@nodewright/fault';
import { discardBody } from './read-body.ts';
import type { EndpointTls } from './registry-endpoint.ts';

export interface HttpRequest {
  readonly url: URL;
  /** Default: `GET`. */
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly headers: OutgoingHttpHeaders;
  /** The body of a POST. */
  readonly body?: string;
  readonly tls: EndpointTls | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The connections, kept open for later requests. */
export interface HttpConnections extends Disposable {
  /**
   * Follows redirects and returns the first other response. Authorization is sent only to its own origin, and
   * a client certificate is shown only to its own host.
   */
  send(request: HttpRequest): Promise<HttpAnswer>;
}

export interface HttpAnswer {
  readonly answer: IncomingMessage;
  /** The URL that responded, after redirects. */
  readonly url: URL;
}

const redirects = new Set([301, 302, 303, 307, 308]);
const redirectLimit = 5;

/**
 * Loads the libraries at the first request, because a node pulls rarely. `idleTimeoutMs` ends a stalled
 * response.
 */
export function openHttpConnections(idleTimeoutMs: number): HttpConnections {
  const agents: { plain?: Agent; tls?: TlsAgent } = {};

  async function once({
    url,
    method = 'GET',
    headers,
    body,
    tls,
    signal,
  }: HttpRequest): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const options = { method, headers, signal, timeout: idleTimeoutMs };
    const request = await open(url, options, tls, resolve);
    request.end(body);
    request.on('timeout', () => request.destroy(stalled(url, idleTimeoutMs)));
    request.on('error', (error) => reject(connectionFault(error, url)));
    // A head that arrives byte by byte is no silence.
    const timer = setTimeout(() => request.destroy(slowHead(url, idleTimeoutMs)), idleTimeoutMs);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Loads what the scheme needs. */
  async function open(
    url: URL,
    options: RequestOptions,
    tls: EndpointTls | undefined,
    onAnswer: (answer: IncomingMessage) => void,
  ): Promise<ClientRequest> {
    if (url.protocol === 'https:') {
      const https = await import('node:https');
      agents.tls ??= new https.Agent({ keepAlive: true });
      return https.request(url, { ...options, ...tlsOptions(tls), agent: agents.tls }, onAnswer);
    }
    const http = await import('node:http');
    agents.plain ??= new http.Agent({ keepAlive: true });
    return http.request(url, { ...options, agent: agents.plain }, onAnswer);
  }

  return {
    async send(request) {
      let current = request;
      for (let count = 0; ; count += 1) {
        const answer = await once(current);
        const { location } = answer.headers;
        if (!redirects.has(answer.statusCode ?? 0) || location === undefined)
          return { answer, url: current.url };
        discardBody(answer);
        if (count === redirectLimit)
          throw new Fault('unavailable', `${request.url.host} redirects without an end`);
        current = redirected(current, location);
      }
    },
    [Symbol.dispose]() {
      agents.plain?.destroy();
      agents.tls?.destroy();
    },
  };
}

function tlsOptions({ ca, clientIdentity, skipsVerification = false }: EndpointTls = {}) {
  return {
    ca,
    ...(clientIdentity && { cert: clientIdentity.certificate, key: clientIdentity.key }),
    rejectUnauthorized: !skipsVerification,
  };
}

function redirected(request: HttpRequest, location: string): HttpRequest {
  const url = URL.parse(location, request.url);
  if (url === null)
    throw new Fault('unavailable', `${request.url.host} redirects to a text that is not a URL`);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && request.url.protocol === 'http:');
  if (!isSafe)
    // As proxies do that want a person to log in: the registry itself has said nothing.
    throw new Fault('unavailable', `${request.url.host} redirects to ${url.protocol}, which is not followed`);
  const { authorization, ...others } = request.headers;
  const keeps = url.origin === request.url.origin;
  if (keeps) return { ...request, url };
  const { ca } = request.tls ?? {};
  const tls = url.hostname === request.url.hostname ? request.tls : ca === undefined ? undefined : { ca };
  return { ...request, url, headers: others, tls };
}

function stalled(url: URL, idleTimeoutMs: number): Fault {
  return new Fault('aborted', `nothing came from ${url.host} for ${idleTimeoutMs / 1000}s`);
}

function slowHead(url: URL, timeoutMs: number): Fault {
  return new Fault('aborted', `${url.host} has not begun its answer within ${timeoutMs / 1000}s`);
}

/** The Fault for a request without a response. */
function connectionFault(error: Error, { host }: URL): Fault {
  const fault = faultFrom(error);
  if (error instanceof Fault || fault.kind === 'cancelled') return fault;
  return new Fault('unavailable', `the registry ${host} does not answer: ${error.message}`, { cause: error });
}
