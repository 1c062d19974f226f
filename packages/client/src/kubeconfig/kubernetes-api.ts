import type { IncomingMessage } from 'node:http';
import type { Agent } from 'node:https';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Kubeconfig } from './kubeconfig.ts';
import { answeredObject, type KubernetesAnswer } from './kubernetes-answer.ts';

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
  /**
   * Sends a GET and yields each line of the answer when it arrives, such as the changes of a watch. It ends with the answer.
   *
   * @throws Fault like `send()`, and one that repeats what the server says when its status is not 200
   */
  lines(path: string, options: { readonly signal: AbortSignal }): AsyncGenerator<string, void, undefined>;
}

export interface KubernetesApiOptions {
  /** Sends requests one after the other on one connection, instead of each on its own. */
  readonly keepsConnection?: boolean;
}

/** A list of pods of a large cluster is far below that. */
const maxBodyBytes = 16 * 1024 * 1024;
/** An object has at most 1.5 MiB, and is one line of a watch.. */
const maxLineLength = 4 * 1024 * 1024;

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
  /** Resolves when the answer begins. */
  const open = async (init: KubernetesRequest, usesOwnConnection: boolean): Promise<IncomingMessage> => {
    // Loaded here, because most programs that import this never call Kubernetes.
    const https = await import('node:https');
    if (keepsConnection) kept ??= new https.Agent({ keepAlive: true, maxSockets: 1 });
    const { method, path, body, server = own, signal } = init;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const headers = {
      accept: init.accept ?? 'application/json',
      ...(body !== undefined && {
        'content-type': init.contentType ?? 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    };
    const agent = usesOwnConnection ? false : (kept ?? false);
    const call = https.request(new URL(path, server), { ...tls, method, headers, agent, signal }, resolve);
    call.on('error', reject);
    call.end(body);
    return promise;
  };
  const failure = (
    error: unknown,
    { signal, server = own }: Pick<KubernetesRequest, 'signal' | 'server'>,
  ) => {
    signal.throwIfAborted();
    const message = `${new URL(server).origin} does not answer: ${faultFrom(error).message}`;
    return new Fault('unavailable', message, { cause: error });
  };
  const send = async (init: KubernetesRequest) => {
    try {
      return await completeAnswer(await open(init, false));
    } catch (error) {
      throw failure(error, init);
    }
  };
  return {
    send,
    get: (path, options) => send({ method: 'GET', path, ...options }),
    async *lines(path, { signal }) {
      const init = { method: 'GET', path, signal } as const;
      const response = await open(init, true).catch((error) => {
        throw failure(error, init);
      });
      try {
        if (response.statusCode !== 200) answeredObject(await completeAnswer(response), 200);
        yield* linesOf(response);
      } catch (error) {
        throw error instanceof Fault ? error : failure(error, init);
      } finally {
        response.destroy();
      }
    },
    [Symbol.dispose]: () => kept?.destroy(),
  };
}

async function completeAnswer(response: IncomingMessage): Promise<KubernetesAnswer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > maxBodyBytes) throw new Error(`the answer is larger than ${maxBodyBytes} bytes`);
    parts.push(part);
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() };
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string, void, undefined> {
  response.setEncoding('utf8');
  let rest = '';
  for await (const piece of response as AsyncIterable<string>) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineLength) throw new Error(`a line is longer than ${maxLineLength} characters`);
    yield* lines;
  }
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
