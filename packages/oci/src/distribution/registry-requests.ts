import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Fault, type FaultKind, faultFrom } from '@nodewright/fault';
import { formatImageReference, type ImageReference } from '../image-reference.ts';
import { authorize, type Credentials } from './authorization.ts';
import { parseChallenge } from './challenge.ts';
import type { HttpConnections } from './http-request.ts';
import { decidingFault } from './is-refusal.ts';
import { discardBody, readBody } from './read-body.ts';
import type { EndpointsOf, RegistryEndpoint } from './registry-endpoint.ts';

export interface RegistryRequestsInit {
  readonly connections: HttpConnections;
  readonly endpointsOf: EndpointsOf;
  readonly onOutcome?: OnOutcome | undefined;
}

/**
 * Called after each request to an endpoint, with its failure. Content that the endpoint does not have is no failure, and a request that
 * was cancelled has no outcome.
 */
export type OnOutcome = (registry: string, endpoint: RegistryEndpoint, fault: Fault | undefined) => void;

export interface RegistryRequestOptions {
  /** Default: `GET`. */
  readonly method?: 'GET' | 'HEAD';
  readonly headers: OutgoingHttpHeaders;
  readonly credentials?: Credentials;
  readonly signal?: AbortSignal;
}

export interface RegistryRequests {
  /** Requests `path` of a repository. An HTTP error status is a Fault; of several endpoints the `decidingFault`. */
  get(reference: ImageReference, path: string, options: RegistryRequestOptions): Promise<IncomingMessage>;
}

const errorLimitBytes = 64 * 1024;
/** Clients of a daemon choose the repositories, so the number of remembered authorizations has a limit. */
const authorizationLimit = 256;
const agent = 'nodewright';

/** Answers authentication challenges, and tries the next endpoint when one fails. */
export function createRegistryRequests({
  connections,
  endpointsOf,
  onOutcome = () => {},
}: RegistryRequestsInit): RegistryRequests {
  /** By endpoint, repository and user: the authorization of the last request is reused for the next. */
  const authorizations = new Map<string, string>();

  async function ask(
    endpoint: RegistryEndpoint,
    reference: ImageReference,
    path: string,
    { method, headers, signal, ...options }: RegistryRequestOptions,
  ): Promise<IncomingMessage> {
    const base = `${endpoint.url.replace(/\/$/, '')}${endpoint.overridesPath ? '' : '/v2'}`;
    const url = new URL(`${base}/${reference.repository}/${path}`);
    if (endpoint.isMirror) url.searchParams.set('ns', reference.registry);
    const { tls } = endpoint;
    const credentials = options.credentials ?? endpoint.credentials;
    const key = JSON.stringify([endpoint.url, reference.repository, credentials]);
    const send = (authorization: string | undefined) => {
      const known = authorization === undefined ? {} : { authorization };
      return connections.send({
        ...{ url, ...(method && { method }), tls, signal },
        headers: { 'user-agent': agent, ...headers, ...known },
      });
    };
    let { answer, url: answeredBy } = await send(authorizations.get(key));
    // A redirect target must not choose where the password is sent.
    const isOwn = answer.statusCode === 401 && answeredBy.origin === url.origin;
    const challenge = isOwn ? parseChallenge(answer.headers['www-authenticate'] ?? '') : undefined;
    if (challenge !== undefined) {
      discardBody(answer);
      const { repository } = reference;
      const value = await authorize({
        challenge,
        registry: url,
        tls,
        repository,
        credentials,
        connections,
        signal,
      });
      authorizations.delete(key);
      authorizations.set(key, value);
      const [oldest = ''] = authorizations.keys();
      if (authorizations.size > authorizationLimit) authorizations.delete(oldest);
      ({ answer, url: answeredBy } = await send(value));
    }
    if (answer.statusCode === 200 || answer.statusCode === 206) return answer;
    throw await refusal(answer, reference, answeredBy.host);
  }

  return {
    async get(reference, path, options) {
      const faults: Fault[] = [];
      for (const endpoint of endpointsOf(reference.registry)) {
        try {
          const answer = await ask(endpoint, reference, path, options);
          onOutcome(reference.registry, endpoint, undefined);
          return answer;
        } catch (error) {
          const fault = faultFrom(error);
          if (fault.kind === 'cancelled') throw fault;
          faults.push(fault);
          onOutcome(reference.registry, endpoint, fault.kind === 'not-found' ? undefined : fault);
        }
      }
      throw (
        decidingFault(faults) ??
        new Fault('unavailable', `there is no endpoint for the registry ${reference.registry}`)
      );
    },
  };
}

const kindsByStatus: Readonly<Record<number, FaultKind>> = {
  401: 'unauthenticated',
  403: 'permission-denied',
  404: 'not-found',
  416: 'data-loss',
};

async function refusal(answer: IncomingMessage, reference: ImageReference, host: string): Promise<Fault> {
  const status = answer.statusCode ?? 0;
  const kind = kindsByStatus[status] ?? 'unavailable';
  const reason = reasonIn(await readBody(answer, errorLimitBytes).catch(() => Buffer.alloc(0)));
  const what = formatImageReference(reference);
  return new Fault(
    kind,
    `the registry ${host} refuses ${what}: HTTP ${status}${reason === '' ? '' : `, ${reason}`}`,
  );
}

/** Source: OCI distribution specification, error codes. */
function reasonIn(body: Buffer): string {
  try {
    const { errors } = JSON.parse(body.toString()) as { errors?: { code?: unknown; message?: unknown }[] };
    const { code, message } = errors?.[0] ?? {};
    const text = typeof message === 'string' && message !== '' ? message : code;
    // The text is shown on terminals as part of one line.
    return typeof text === 'string'
      ? text
          .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
          .slice(0, 200)
          .trim()
      : '';
  } catch {
    return '';
  }
}
