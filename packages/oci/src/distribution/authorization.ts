import type { IncomingMessage } from 'node:http';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Challenge } from './challenge.ts';
import type { HttpConnections, HttpRequest } from './http-request.ts';
import { discardBody, readBody } from './read-body.ts';
import type { EndpointTls } from './registry-endpoint.ts';

/** A user with a password, or a token with which a registry's issuer identifies the user. All are secrets. */
export type Credentials =
  | { readonly username: string; readonly password: string }
  | { readonly identityToken: string };

export interface AuthorizeInit {
  readonly challenge: Challenge;
  /** The registry that sent the challenge. */
  readonly registry: URL;
  readonly tls: EndpointTls | undefined;
  readonly repository: string;
  readonly credentials: Credentials | undefined;
  readonly connections: HttpConnections;
  readonly signal: AbortSignal | undefined;
}

const tokenLimitBytes = 1024 * 1024;

/** With these an issuer refuses the caller. Any other status says nothing about the credentials. Source: RFC 9110. */
const refusals = new Set([400, 401, 403, 404]);

/**
 * The value of the header Authorization that satisfies a challenge.
 *
 * @throws Fault `unauthenticated` when these credentials cannot satisfy it, `unavailable` when the issuer of tokens cannot say
 */
export async function authorize(init: AuthorizeInit): Promise<string> {
  const { challenge, registry, credentials } = init;
  if (challenge.scheme === 'bearer') return `Bearer ${await fetchToken(init, challenge)}`;
  if (credentials === undefined || 'identityToken' in credentials)
    throw new Fault('unauthenticated', `the registry ${registry.host} wants a user name and a password`);
  return basic(credentials.username, credentials.password);
}

async function fetchToken(
  { registry, tls, repository, credentials, connections, signal }: AuthorizeInit,
  challenge: Challenge & { scheme: 'bearer' },
): Promise<string> {
  const url = new URL(challenge.realm);
  if (url.protocol !== 'https:' && url.protocol !== registry.protocol)
    throw new Fault(
      'unauthenticated',
      `the registry ${registry.host} wants a token from ${url.host} without TLS`,
    );
  // The issuer may be another host than the registry, which alone may see the certificate of the client.
  const issuerTls = url.host === registry.host ? tls : tls?.ca === undefined ? undefined : { ca: tls.ca };
  const wanted = {
    ...(challenge.service === undefined ? {} : { service: challenge.service }),
    scope: challenge.scope ?? `repository:${repository}:pull`,
  };
  const { answer } = await connections.send({
    ...tokenRequest(url, wanted, credentials),
    ...{ tls: issuerTls, signal },
  });
  const { statusCode: status = 0 } = answer;
  if (status !== 200) {
    discardBody(answer);
    const kind = refusals.has(status) ? 'unauthenticated' : 'unavailable';
    throw new Fault(kind, `${url.host} gives no token for ${repository}: HTTP ${status}`);
  }
  const token = tokenFrom(await readToken(answer, url));
  // A proxy that answers in place of the issuer may send its own page with the status 200.
  if (token === undefined) throw new Fault('unavailable', `${url.host} gives no token for ${repository}`);
  return token;
}

/** A long answer is no token, and says nothing about the content that the token is for. */
async function readToken(answer: IncomingMessage, { host }: URL): Promise<Buffer> {
  try {
    return await readBody(answer, tokenLimitBytes);
  } catch (error) {
    const fault = faultFrom(error);
    if (fault.kind !== 'data-loss') throw fault;
    throw new Fault('unavailable', `${host} sends ${fault.message} instead of a token`, { cause: fault });
  }
}

/** Source: RFC 9110; token authentication of registries, with OAuth 2.0 for an identity token. */
function tokenRequest(
  url: URL,
  wanted: Readonly<Record<string, string>>,
  credentials: Credentials | undefined,
): Pick<HttpRequest, 'url' | 'method' | 'headers' | 'body'> {
  if (credentials !== undefined && 'identityToken' in credentials) {
    const { identityToken } = credentials;
    const grant = { grant_type: 'refresh_token', client_id: 'nodewright', refresh_token: identityToken };
    return {
      ...{ url, method: 'POST', body: new URLSearchParams({ ...wanted, ...grant }).toString() },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
  }
  for (const [name, value] of Object.entries(wanted)) url.searchParams.set(name, value);
  const headers = credentials && { authorization: basic(credentials.username, credentials.password) };
  return { url, headers: headers ?? {} };
}

function tokenFrom(body: Uint8Array): string | undefined {
  try {
    const { token, access_token: other } = JSON.parse(Buffer.from(body).toString()) as Record<
      string,
      unknown
    >;
    const found = token ?? other;
    return typeof found === 'string' && /^[\x21-\x7e]+$/.test(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
