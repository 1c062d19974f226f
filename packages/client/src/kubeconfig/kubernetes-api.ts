import type { Agent } from 'node:https';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Kubeconfig } from './kubeconfig.ts';

export interface KubernetesAnswer {
  readonly status: number;
  readonly body: string;
}

export interface KubernetesRequest {
  readonly method: 'GET' | 'PATCH' | 'POST' | 'PUT' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly body?: string;
  /** Of the body; by default JSON. */
  readonly contentType?: string;
  /** What the answer should be; by default JSON. */
  readonly accept?: string;
  /** URL of an API server; by default that of the kubeconfig. */
  readonly server?: string;
  readonly signal: AbortSignal;
}

/** Calls API servers of one cluster with the credentials of a kubeconfig. Disposing of it closes its connections. */
export interface KubernetesApi extends Disposable {
  /**
   * @returns the answer, whatever its status
   * @throws Fault `unavailable` when the server does not answer, or answers with a certificate of another CA
   */
  send(request: KubernetesRequest): Promise<KubernetesAnswer>;
  /** `send()` for a GET. */
  get(
    path: string,
    options: { readonly server?: string; readonly signal: AbortSignal },
  ): Promise<KubernetesAnswer>;
}

export interface KubernetesApiOptions {
  /** Sends requests one after the other on one connection, instead of each on its own. */
  readonly keepsConnection?: boolean;
}

/** A list of pods of a large cluster is far below that. */
const maxBodyBytes = 16 * 1024 * 1024;

/**
 * Opens the API of the current context, whose credentials must be a client certificate.
 *
 * @throws Fault `invalid-argument` for a kubeconfig of another form
 */
export function openKubernetesApi(
  config: Kubeconfig,
  { keepsConnection = false }: KubernetesApiOptions = {},
): KubernetesApi {
  const current = config.contexts.find(({ name }) => name === config.currentContext)?.context;
  const cluster = bodyOf(config.clusters, current?.cluster, 'cluster');
  const user = bodyOf(config.users, current?.user, 'user');
  const serverName = cluster['tls-server-name'];
  const tls = {
    ...(typeof serverName === 'string' && { servername: serverName }),
    ca: decoded(cluster['certificate-authority-data']),
    cert: decoded(user['client-certificate-data']),
    key: decoded(user['client-key-data']),
  };
  const own = String(cluster.server ?? '');
  let kept: Agent | undefined;
  const send = async (init: KubernetesRequest) => {
    // Loaded here, because most programs that import this never call Kubernetes.
    const https = await import('node:https');
    if (keepsConnection) kept ??= new https.Agent({ keepAlive: true, maxSockets: 1 });
    const { method, path, body, server = own, signal } = init;
    const url = new URL(path, server);
    const { promise, resolve, reject } = Promise.withResolvers<KubernetesAnswer>();
    const headers = {
      accept: init.accept ?? 'application/json',
      ...(body !== undefined && {
        'content-type': init.contentType ?? 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    };
    const call = https.request(url, { ...tls, method, headers, agent: kept ?? false, signal }, (response) => {
      const parts: Buffer[] = [];
      let length = 0;
      response.on('data', (part: Buffer) => {
        length += part.length;
        if (length > maxBodyBytes) call.destroy(new Error(`the answer is larger than ${maxBodyBytes} bytes`));
        else parts.push(part);
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }),
      );
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
    try {
      return await promise;
    } catch (error) {
      signal.throwIfAborted();
      throw new Fault('unavailable', `${url.origin} does not answer: ${faultFrom(error).message}`, {
        cause: error,
      });
    }
  };
  return {
    send,
    get: (path, options) => send({ method: 'GET', path, ...options }),
    [Symbol.dispose]: () => kept?.destroy(),
  };
}

function bodyOf(
  entries: Kubeconfig['clusters'],
  name: string | undefined,
  key: 'cluster' | 'user',
): Record<string, unknown> {
  const body = entries.find((entry) => entry.name === name)?.[key];
  if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  throw new Fault('invalid-argument', `the current context of the kubeconfig has no ${key}`);
}

function decoded(value: unknown): string {
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString() : '';
}
