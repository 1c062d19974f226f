import { Fault, faultFrom } from '@nodewright/fault';
import type { Kubeconfig } from './kubeconfig.ts';

export interface KubernetesAnswer {
  readonly status: number;
  readonly body: string;
}

/** Reads from API servers of one cluster, with the credentials of a kubeconfig. */
export interface KubernetesApi {
  /**
   * @param server URL of an API server; by default that of the kubeconfig
   * @throws Fault `unavailable` when the server does not answer, or answers with a certificate of another CA
   */
  get(
    path: string,
    options: { readonly server?: string; readonly signal: AbortSignal },
  ): Promise<KubernetesAnswer>;
}

/** A list of pods of a large cluster is far below that. */
const maxBodyBytes = 16 * 1024 * 1024;

/**
 * Opens the API of the current context, whose credentials must be a client certificate.
 *
 * @throws Fault `invalid-argument` for a kubeconfig of another form
 */
export function openKubernetesApi(config: Kubeconfig): KubernetesApi {
  const current = config.contexts.find(({ name }) => name === config.currentContext)?.context;
  const cluster = bodyOf(config.clusters, current?.cluster, 'cluster');
  const user = bodyOf(config.users, current?.user, 'user');
  const tls = {
    ca: decoded(cluster['certificate-authority-data']),
    cert: decoded(user['client-certificate-data']),
    key: decoded(user['client-key-data']),
  };
  const own = String(cluster.server ?? '');
  return {
    async get(path, { server = own, signal }) {
      const { request } = await import('node:https');
      const { promise, resolve, reject } = Promise.withResolvers<KubernetesAnswer>();
      const url = new URL(path, server);
      const call = request(url, { ...tls, agent: false, signal }, (response) => {
        const parts: Buffer[] = [];
        let length = 0;
        response.on('data', (part: Buffer) => {
          length += part.length;
          if (length > maxBodyBytes)
            call.destroy(new Error(`the answer is larger than ${maxBodyBytes} bytes`));
          else parts.push(part);
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }),
        );
        response.on('error', reject);
      });
      call.on('error', reject);
      call.end();
      try {
        return await promise;
      } catch (error) {
        signal.throwIfAborted();
        throw new Fault('unavailable', `${url.origin} does not answer: ${faultFrom(error).message}`, {
          cause: error,
        });
      }
    },
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
