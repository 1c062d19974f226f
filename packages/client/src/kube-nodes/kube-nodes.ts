import { Deadline } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import type { JsonObject } from '@nodewright/state';
import { answeredObject } from '../kubeconfig/kubernetes-answer.ts';
import type { KubernetesApi, KubernetesRequest } from '../kubeconfig/kubernetes-api.ts';
import type { KubeNode, KubePod } from './kube-node.ts';

/** What an eviction came to. `refused`: a PodDisruptionBudget does not allow it now, with what the server says. */
export type Eviction =
  | { readonly kind: 'accepted' | 'gone' }
  | { readonly kind: 'refused'; readonly reason: string };

/** The nodes of a cluster and the pods on them, through its API server. */
export interface KubeNodes {
  /** `undefined` when there is no such node. */
  read(name: string): Promise<KubeNode | undefined>;
  list(): Promise<readonly KubeNode[]>;
  /**
   * Changes a node by a JSON merge patch.
   *
   * @throws Fault `aborted` when the patch names a `resourceVersion` that is not the current one
   */
  change(name: string, patch: JsonObject): Promise<KubeNode>;
  /**
   * Yields a node now and after each of its changes; `undefined` while there is no such node. It ends after some minutes: the
   * caller begins again, so a connection that died silently is noticed.
   */
  watch(name: string): AsyncGenerator<KubeNode | undefined, void, undefined>;
  podsOn(node: string): Promise<readonly KubePod[]>;
  /** Pods with a label in a namespace. */
  podsWith(namespace: string, label: string): Promise<readonly KubePod[]>;
  /** Asks the API server to end a pod, in the time that the pod itself says. Source: Kubernetes: API-initiated eviction. */
  evict(pod: KubePod): Promise<Eviction>;
}

export interface KubeNodesInit {
  readonly api: Pick<KubernetesApi, 'send' | 'lines'>;
  readonly signal: AbortSignal;
  /** For one request; default 10 s. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;
/** The server ends a watch after the first, and this client after the second. */
const watchSeconds = 120;
const watchTimeoutMs = 150_000;

const nodesPath = '/api/v1/nodes';
const nodePath = (name: string) => `${nodesPath}/${encodeURIComponent(name)}`;
/** A node may list and watch itself only by this selector. Source: Kubernetes: node authorization. */
const onlyNode = (name: string) => `fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;

/**
 * Every failure is a Fault: `unavailable` when the API server does not answer, otherwise one that repeats what it answered, or
 * `deadline-exceeded`.
 */
export function openKubeNodes({ api, signal, timeoutMs = defaultTimeoutMs }: KubeNodesInit): KubeNodes {
  const send = async (request: Omit<KubernetesRequest, 'signal'>) => {
    using deadline = new Deadline(timeoutMs, signal);
    try {
      return await api.send({ ...request, signal: deadline.signal });
    } catch (error) {
      if (!deadline.isOver || signal.aborted) throw error;
      throw new Fault('deadline-exceeded', `the API server did not answer within ${timeoutMs / 1000} s`);
    }
  };
  const get = async (path: string) => answeredObject(await send({ method: 'GET', path }), 200);
  const items = async <T>(path: string) => ((await get(path)).items ?? []) as unknown as readonly T[];
  return {
    async read(name) {
      const answer = await send({ method: 'GET', path: nodePath(name) });
      return answer.status === 404 ? undefined : (answeredObject(answer, 200) as KubeNode);
    },
    list: () => items<KubeNode>(nodesPath),
    async change(name, patch) {
      const answer = await send({
        method: 'PATCH',
        path: nodePath(name),
        contentType: 'application/merge-patch+json',
        body: JSON.stringify(patch),
      });
      return answeredObject(answer, 200) as KubeNode;
    },
    async *watch(name) {
      const list = await get(`${nodesPath}?${onlyNode(name)}`);
      const [node] = (list.items ?? []) as unknown as readonly KubeNode[];
      yield node;
      const { resourceVersion } = (list.metadata ?? {}) as { resourceVersion?: string };
      const query = `watch=true&timeoutSeconds=${watchSeconds}&resourceVersion=${resourceVersion ?? ''}`;
      using deadline = new Deadline(watchTimeoutMs, signal);
      const path = `${nodesPath}?${onlyNode(name)}&${query}`;
      try {
        for await (const line of api.lines(path, { signal: deadline.signal })) {
          if (line !== '') yield nodeOf(line);
        }
      } catch (error) {
        if (!deadline.isOver || signal.aborted) throw error;
      }
    },
    podsOn: (node) =>
      items<KubePod>(`/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${node}`)}`),
    podsWith: (namespace, label) =>
      items<KubePod>(
        `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods?labelSelector=${encodeURIComponent(label)}`,
      ),
    async evict({ metadata = {} }) {
      const { name = '', namespace = '', uid } = metadata;
      const answer = await send({
        method: 'POST',
        path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/eviction`,
        body: JSON.stringify({
          ...{ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } },
          deleteOptions: { ...(uid && { preconditions: { uid } }) },
        }),
      });
      // A conflict says that another pod has this name now.
      if (answer.status === 404 || answer.status === 409) return { kind: 'gone' };
      try {
        answeredObject(answer, 200, 201);
        return { kind: 'accepted' };
      } catch (error) {
        const { kind, message } = faultFrom(error);
        if (kind === 'resource-exhausted') return { kind: 'refused', reason: message };
        throw error;
      }
    },
  };
}

/** The node after an event of a watch. Source: Kubernetes: API concepts, watches. */
function nodeOf(line: string): KubeNode | undefined {
  const { type, object } = JSON.parse(line) as { type?: string; object?: KubeNode & { message?: string } };
  if (type === 'ERROR') throw new Fault('unavailable', `the watch ended: ${object?.message ?? 'no reason'}`);
  return type === 'DELETED' ? undefined : object;
}
