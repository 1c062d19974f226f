// An API server in memory with nodes, pods and budgets, as far as a node uses them. It passes `kubeNodesConformance()`.
import { ChangeSignal } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import type { KubernetesAnswer } from '../../kubeconfig/kubernetes-answer.ts';
import type { KubernetesApi, KubernetesRequest } from '../../kubeconfig/kubernetes-api.ts';
import { isReady, type KubeMetadata, type KubePod } from '../kube-node.ts';

interface StoredObject {
  readonly metadata: KubeMetadata & { readonly name: string };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

interface BudgetSpec {
  readonly minAvailable: number;
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
}

type Collection = 'nodes' | 'pods' | 'poddisruptionbudgets';

export interface MemoryApiServer {
  readonly api: KubernetesApi;
  /** Every request that changes something, such as `PATCH /api/v1/nodes/a`. */
  readonly changes: string[];
  /** While set, every request fails with it. */
  failure: Fault | undefined;
}

const answer = (status: number, value: unknown): KubernetesAnswer => ({
  status,
  body: JSON.stringify(value),
});
const failed = (status: number, message: string) => answer(status, { kind: 'Status', message });

export function createMemoryApiServer(): MemoryApiServer {
  const stored = new Map<string, StoredObject>();
  const changed = new ChangeSignal();
  const log: { readonly type: string; readonly key: string; readonly object: StoredObject }[] = [];
  let version = 0;

  const put = (key: string, object: StoredObject): StoredObject => {
    version += 1;
    const uid = stored.get(key)?.metadata.uid ?? `uid-${version}`;
    const next = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(version) } };
    log.push({ type: stored.has(key) ? 'MODIFIED' : 'ADDED', key, object: next });
    stored.set(key, next);
    changed.notify();
    return next;
  };
  const drop = (key: string) => {
    const object = stored.get(key);
    if (object === undefined) return;
    stored.delete(key);
    version += 1;
    log.push({ type: 'DELETED', key, object });
    changed.notify();
  };
  const listed = (collection: Collection, url: URL, namespace = '') =>
    [...stored]
      .filter(([key]) => key.startsWith(`${collection}/${namespace}`))
      .filter(([, object]) => isSelected(object, url))
      .map(([, object]) => object);

  function evict(key: string, body: string): KubernetesAnswer {
    const pod = stored.get(key);
    if (pod === undefined) return failed(404, 'pod not found');
    const { deleteOptions } = JSON.parse(body) as { deleteOptions?: { preconditions?: { uid?: string } } };
    const { uid = pod.metadata.uid } = deleteOptions?.preconditions ?? {};
    if (uid !== pod.metadata.uid) return failed(409, 'the UID in the precondition does not match');
    if (!isAllowed(pod))
      return failed(429, "Cannot evict pod as it would violate the pod's disruption budget.");
    end(key, pod);
    return answer(201, { kind: 'Status', status: 'Success' });
  }

  /** The kubelet removes a pod of a node when its containers have ended. */
  function end(key: string, pod: StoredObject): void {
    put(key, { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  }

  function isAllowed(pod: StoredObject): boolean {
    if (!isReady(pod as KubePod)) return true;
    const all = [...stored].filter(([key]) => key.startsWith('pods/')).map(([, object]) => object);
    for (const [key, { metadata, spec }] of stored) {
      if (!key.startsWith('poddisruptionbudgets/') || metadata.namespace !== pod.metadata.namespace) continue;
      const { selector, minAvailable } = spec as unknown as BudgetSpec;
      const matches = ({ metadata: { labels = {} } }: StoredObject) =>
        Object.entries(selector.matchLabels).every(([name, value]) => labels[name] === value);
      const healthy = all.filter(
        (other) =>
          matches(other) && isReady(other as KubePod) && other.metadata.deletionTimestamp === undefined,
      );
      if (matches(pod) && healthy.length <= minAvailable) return false;
    }
    return true;
  }

  function patch(key: string, body: string): KubernetesAnswer {
    const object = stored.get(key);
    if (object === undefined) return failed(404, 'not found');
    const wanted = JSON.parse(body) as { metadata?: KubeMetadata };
    const { resourceVersion = object.metadata.resourceVersion } = wanted.metadata ?? {};
    if (resourceVersion !== object.metadata.resourceVersion)
      return failed(409, 'the object has been modified; please apply your changes to the latest version');
    const merged = merge(object, wanted) as StoredObject;
    const isEqual = JSON.stringify(merged) === JSON.stringify(object);
    return answer(200, isEqual ? object : put(key, merged));
  }

  function handle({ method, path, body = '' }: KubernetesRequest): KubernetesAnswer {
    const url = new URL(path, 'https://memory');
    const place = placeOf(url.pathname);
    if (place === undefined) return failed(404, 'the server could not find the requested resource');
    const { collection, namespace, name, part } = place;
    const key = `${collection}/${namespace}/${name}`;
    if (name === '') {
      if (method === 'GET')
        return answer(200, {
          metadata: { resourceVersion: String(version) },
          items: listed(collection, url, namespace),
        });
      const object = JSON.parse(body) as StoredObject;
      const metadata = { ...object.metadata, ...(namespace !== '' && { namespace }) };
      return answer(201, put(`${collection}/${namespace}/${object.metadata.name}`, { ...object, metadata }));
    }
    if (part === 'eviction') return evict(key, body);
    if (method === 'PATCH') return patch(key, body);
    if (method === 'DELETE') {
      drop(key);
      return answer(200, {});
    }
    const object = stored.get(key);
    return object === undefined ? failed(404, `"${name}" not found`) : answer(200, object);
  }

  const server: MemoryApiServer = {
    changes: [],
    failure: undefined,
    api: {
      async send(request) {
        request.signal.throwIfAborted();
        if (server.failure !== undefined) throw server.failure;
        if (request.method !== 'GET') server.changes.push(`${request.method} ${request.path}`);
        return handle(request);
      },
      get: (path, options) => server.api.send({ method: 'GET', path, ...options }),
      async *lines(path, { signal }) {
        const url = new URL(path, 'https://memory');
        const since = Number(url.searchParams.get('resourceVersion') ?? 0);
        let at = 0;
        while (!signal.aborted) {
          if (server.failure !== undefined) throw server.failure;
          for (; at < log.length; at += 1) {
            const { type, key, object } = log[at] ?? { type: '', key: '', object: undefined };
            if (object === undefined || !key.startsWith('nodes/') || !isSelected(object, url)) continue;
            if (Number(object.metadata.resourceVersion) > since || type === 'DELETED')
              yield JSON.stringify({ type, object });
          }
          await changed.next(signal);
        }
        throw new Fault('cancelled', 'the watch was cancelled');
      },
      [Symbol.dispose]: () => {},
    },
  };
  return server;
}

const paths: readonly (readonly [RegExp, Collection])[] = [
  [/^\/api\/v1\/nodes(?:\/(?<name>[^/]+)(?:\/(?<part>\w+))?)?$/, 'nodes'],
  [/^\/api\/v1\/pods$/, 'pods'],
  [/^\/api\/v1\/namespaces\/(?<namespace>[^/]+)\/pods(?:\/(?<name>[^/]+)(?:\/(?<part>\w+))?)?$/, 'pods'],
  [
    /^\/apis\/policy\/v1\/namespaces\/(?<namespace>[^/]+)\/poddisruptionbudgets(?:\/(?<name>[^/]+))?$/,
    'poddisruptionbudgets',
  ],
];

function placeOf(path: string) {
  for (const [pattern, collection] of paths) {
    const { groups } = pattern.exec(path) ?? {};
    if (!pattern.test(path)) continue;
    return {
      collection,
      ...{ namespace: groups?.namespace ?? '', name: groups?.name ?? '', part: groups?.part },
    };
  }
  return undefined;
}

function isSelected({ metadata, spec }: StoredObject, url: URL): boolean {
  const field = url.searchParams.get('fieldSelector') ?? '';
  const label = url.searchParams.get('labelSelector') ?? '';
  const [fieldName = '', fieldValue] = field.split('=');
  const fields: Readonly<Record<string, unknown>> = {
    'metadata.name': metadata.name,
    'spec.nodeName': spec?.nodeName,
  };
  if (field !== '' && fields[fieldName] !== fieldValue) return false;
  const [labelName = '', labelValue] = label.split('=');
  return label === '' || metadata.labels?.[labelName] === labelValue;
}

/** Source: RFC 7396: JSON merge patch. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const merged: Record<string, unknown> = isMap(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = merge(merged[name], value);
  }
  return merged;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
