import { Fault } from '@nodewright/fault';
import type { Challenge } from './challenge.ts';
import type { HttpConnections } from './http-request.ts';
import { readBody } from './read-body.ts';

export interface Credentials {
  readonly username: string;
  /** Secret: never included in a Fault. */
  readonly password: string;
}

export interface AuthorizeInit {
  readonly challenge: Challenge;
  /** The registry that sent the challenge. */
  readonly registry: URL;
  readonly ca: string | undefined;
  readonly repository: string;
  readonly credentials: Credentials | undefined;
  readonly connections: HttpConnections;
  readonly signal: AbortSignal | undefined;
}

const tokenLimitBytes = 1024 * 1024;

/**
 * The value of the header Authorization that satisfies a challenge.
 *
 * @throws Fault `unauthenticated` when these credentials cannot satisfy it
 */
export async function authorize(init: AuthorizeInit): Promise<string> {
  const { challenge, registry, credentials } = init;
  if (challenge.scheme === 'bearer') return `Bearer ${await fetchToken(init, challenge)}`;
  if (credentials === undefined)
    throw new Fault('unauthenticated', `the registry ${registry.host} wants a user name and a password`);
  return basic(credentials);
}

async function fetchToken(
  { registry, ca, repository, credentials, connections, signal }: AuthorizeInit,
  challenge: Challenge & { scheme: 'bearer' },
): Promise<string> {
  const url = new URL(challenge.realm);
  if (url.protocol !== 'https:' && url.protocol !== registry.protocol)
    throw new Fault(
      'unauthenticated',
      `the registry ${registry.host} wants a token from ${url.host} without TLS`,
    );
  if (challenge.service !== undefined) url.searchParams.set('service', challenge.service);
  url.searchParams.set('scope', challenge.scope ?? `repository:${repository}:pull`);
  const headers = credentials === undefined ? {} : { authorization: basic(credentials) };
  const { answer } = await connections.get({ url, headers, ca, signal });
  const body = await readBody(answer, tokenLimitBytes);
  if (answer.statusCode !== 200)
    throw new Fault(
      'unauthenticated',
      `${url.host} gives no token for ${repository}: HTTP ${answer.statusCode}`,
    );
  const token = tokenFrom(body);
  if (token === undefined) throw new Fault('unauthenticated', `${url.host} gives no token for ${repository}`);
  return token;
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

function basic({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
