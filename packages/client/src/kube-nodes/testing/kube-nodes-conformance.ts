// What machined and talosctl expect of an API server: the one in memory and a real one run the same tests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { faultFrom } from '@nodewright/fault';
import { answeredObject } from '../../kubeconfig/kubernetes-answer.ts';
import type { KubernetesApi } from '../../kubeconfig/kubernetes-api.ts';
import type { KubeNode, KubePod } from '../kube-node.ts';
import { type KubeNodes, openKubeNodes } from '../kube-nodes.ts';

export interface ConformanceInit {
  readonly skip?: string | false;
  readonly api: () => KubernetesApi;
  /** How long a condition may take to become true. */
  readonly timeoutMs: number;
}

const signal = new AbortController().signal;
const podsPath = '/api/v1/namespaces/default/pods';

/** Objects on an API server, as a kubelet or a user would make them. */
export function objectMaker(api: () => KubernetesApi) {
  const call = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
    answeredObject(
      await api().send({
        ...{ method, path, signal },
        ...(method === 'PATCH' && { contentType: 'application/merge-patch+json' }),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
      ...[200, 201, 202],
    );
  const ready = { type: 'Ready', status: 'True' };
  return {
    node: (name: string, more: KubeNode = {}) =>
      call('POST', '/api/v1/nodes', {
        ...{ apiVersion: 'v1', kind: 'Node' },
        ...more,
        metadata: { ...more.metadata, name },
      }) as Promise<KubeNode>,
    setReady: (name: string, isReady: boolean) =>
      call('PATCH', `/api/v1/nodes/${name}/status`, {
        status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
      }),
    removeNode: (name: string) => call('DELETE', `/api/v1/nodes/${name}`),
    /** A pod that runs and is ready, of a controller unless `owner` is another kind or empty. */
    async pod(name: string, node: string, { owner = 'ReplicaSet', labels = {}, annotations = {} } = {}) {
      await call('POST', podsPath, {
        ...{ apiVersion: 'v1', kind: 'Pod' },
        metadata: {
          ...{ name, labels, annotations },
          ...(owner !== '' && {
            ownerReferences: [
              { apiVersion: 'apps/v1', kind: owner, name: 'own', uid: `own-${name}`, controller: true },
            ],
          }),
        },
        spec: {
          nodeName: node,
          automountServiceAccountToken: false,
          containers: [{ name: 'a', image: 'example.invalid/a' }],
        },
      });
      await call('PATCH', `${podsPath}/${name}/status`, {
        status: { phase: 'Running', conditions: [ready] },
      });
    },
    /** What a kubelet does when the containers of the pod have ended. */
    removePod: (name: string) =>
      call('DELETE', `${podsPath}/${name}`, {
        ...{ apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 },
      }),
    budget: (name: string, labels: Readonly<Record<string, string>>, minAvailable: number) =>
      call('POST', '/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
        ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name } },
        spec: { minAvailable, selector: { matchLabels: labels } },
      }),
  };
}

/** The test process must end when a test fails, so every wait has an end. */
async function until<T>(what: string, timeoutMs: number, look: () => Promise<T | undefined>): Promise<T> {
  const endMs = Date.now() + timeoutMs;
  let latest: unknown = 'nothing';
  while (Date.now() < endMs) {
    try {
      const found = await look();
      if (found !== undefined) return found;
    } catch (error) {
      latest = error;
    }
    await pause(50);
  }
  assert.fail(`${what} did not happen within ${timeoutMs} ms: ${String(latest)}`);
}

export function kubeNodesConformance(name: string, { skip = false, api, timeoutMs }: ConformanceInit): void {
  const make = objectMaker(api);
  const opened = () => openKubeNodes({ api: api(), signal, timeoutMs });
  const find = async (nodes: KubeNodes, node: string, pod: string) =>
    (await nodes.podsOn(node)).find(({ metadata }) => metadata?.name === pod);

  test(`${name}: a patch changes what it names, and is refused when the node has changed`, {
    skip,
  }, async () => {
    const nodes = opened();
    assert.equal(await nodes.read('conform-a'), undefined);
    await make.node('conform-a', { metadata: { labels: { keep: 'x', gone: 'y' } } });
    let resourceVersion = '';
    // Controllers of a real cluster change a new node, too.
    const after = await until('the change', timeoutMs, async () => {
      resourceVersion = (await nodes.read('conform-a'))?.metadata?.resourceVersion ?? '';
      return nodes.change('conform-a', {
        metadata: { resourceVersion, labels: { gone: null, mine: 'z' } },
        spec: { unschedulable: true },
      });
    });
    const { keep, gone, mine } = after.metadata?.labels ?? {};
    assert.deepEqual([keep, gone, mine, after.spec?.unschedulable], ['x', undefined, 'z', true]);
    await assert.rejects(
      nodes.change('conform-a', { metadata: { resourceVersion, labels: { late: '1' } } }),
      {
        kind: 'aborted',
      },
    );
    assert.ok((await nodes.list()).some(({ metadata }) => metadata?.name === 'conform-a'));
  });

  test(`${name}: a watch yields the node now, after changes of it alone, and nothing when it is gone`, {
    skip,
  }, async () => {
    const stop = new AbortController();
    const nodes = openKubeNodes({ api: api(), signal: stop.signal, timeoutMs });
    const seen: (KubeNode | undefined)[] = [];
    const watching = (async () => {
      for await (const node of nodes.watch('conform-b')) seen.push(node);
    })().catch((error) => faultFrom(error));
    const latest = () => seen.at(-1);
    await until('the first answer', timeoutMs, async () => (seen.length > 0 ? true : undefined));
    assert.equal(seen[0], undefined);
    await make.node('conform-b');
    await make.node('conform-c');
    await nodes.change('conform-b', { metadata: { labels: { seen: 'yes' } } });
    await until('the label', timeoutMs, async () =>
      latest()?.metadata?.labels?.seen === 'yes' ? true : undefined,
    );
    assert.ok(seen.every((node) => node === undefined || node.metadata?.name === 'conform-b'));
    await make.removeNode('conform-b');
    await until('the end of the node', timeoutMs, async () =>
      seen.length > 1 && latest() === undefined ? true : undefined,
    );
    stop.abort();
    await watching;
  });

  test(`${name}: an eviction ends a pod, and a budget refuses one that it cannot spare`, {
    skip,
  }, async () => {
    const nodes = opened();
    await make.node('conform-d');
    const labels = { app: 'kept' };
    for (const pod of ['kept', 'spare'])
      await until(pod, timeoutMs, async () => {
        // A real cluster deletes pods whose owner does not exist.
        await make.pod(pod, 'conform-d', { owner: '', ...(pod === 'kept' && { labels }) });
        return true;
      });
    const [kept = assert.fail()] = await nodes.podsWith('default', 'app=kept');
    const spare = (await find(nodes, 'conform-d', 'spare')) ?? assert.fail();
    assert.equal((await nodes.podsOn('conform-d')).length, 2);
    assert.equal((await nodes.evict(spare)).kind, 'accepted');
    assert.notEqual((await find(nodes, 'conform-d', 'spare'))?.metadata?.deletionTimestamp, undefined);
    await make.removePod('spare');
    assert.equal(await find(nodes, 'conform-d', 'spare'), undefined);
    assert.equal((await nodes.evict(spare)).kind, 'gone');
    const other: KubePod = { metadata: { ...kept.metadata, uid: 'another' } };
    assert.equal((await nodes.evict(other)).kind, 'gone');
    // More than there are: nothing can be spared, whether the pods are ready or not.
    await make.budget('kept', labels, 5);
    const refused = await nodes.evict(kept);
    assert.ok(
      refused.kind === 'refused' && /disruption budget/i.test(refused.reason),
      JSON.stringify(refused),
    );
  });
}
