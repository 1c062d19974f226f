/** What decides whether a request may come from our page. */
export interface RequestFacts {
  readonly method: string;
  /** The path as it was sent, with its query. */
  readonly path: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site` and `Sec-Fetch-Mode`, which browsers set and scripts cannot. */
  readonly fetchSite: string | undefined;
  readonly fetchMode: string | undefined;
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/**
 * Refuses requests that another web site makes in the browser of the user. A site whose name resolves to 127.0.0.1 is
 * recognised by `Host`, other sites by `Origin` and `Sec-Fetch-Site`. A program without these headers gets past this check,
 * and needs the token or the secret of a session.
 *
 * Source: Fetch Metadata Request Headers, W3C; RFC 6454, Origin.
 */
export function refusalOf(request: RequestFacts, port: number): Refusal | undefined {
  const { method, path, host, origin, fetchSite, fetchMode } = request;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) {
    return { status: 421, message: `this server answers only as 127.0.0.1:${port} and localhost:${port}` };
  }
  if (method !== 'GET' && method !== 'POST')
    return { status: 405, message: 'only GET and POST are answered' };
  if (origin !== undefined && origin !== `http://${host}`) return foreign;
  if (method === 'POST' && origin === undefined) return foreign;
  if (fetchSite === undefined || fetchSite === 'same-origin') return undefined;
  // A link in a file or a mail may open the page itself, which contains nothing of the cluster.
  return method === 'GET' && path === '/' && fetchMode === 'navigate' ? undefined : foreign;
}

const foreign: Refusal = { status: 403, message: 'requests of other web sites are refused' };
