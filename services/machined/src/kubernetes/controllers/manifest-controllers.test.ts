import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { controlPlaneText } from '@nodewright/node-files/testing';
import { type KindRef, pointerTo, putResource } from '@nodewright/state';
import {
  hostnameStatuses,
  kubernetesSecrets,
  machineConfigs,
  manifestProblems,
  manifestStatuses,
  manifests,
  networkStatuses,
  services,
  staticPods,
  timeStatuses,
} from '@nodewright/state/kinds';
import { eventually } from '@nodewright/testkit';
import type { ManifestRequest } from '../host/apply-in-turn.ts';
import type { ApplyOutcome } from '../host/apply-manifests.ts';
import type { FetchManifest } from '../host/fetch-manifest.ts';
import { createLoadManifest } from '../host/load-manifest.ts';
import { createMemoryBalancer } from '../testing/memory-balancer.ts';
import { maxDownloads } from './extra-manifests.ts';
import { kubernetesControllers } from './kubernetes-controllers.ts';

interface NodeInit {
  readonly fetchManifest?: FetchManifest;
  readonly applyInTurn?: (request: ManifestRequest) => ApplyOutcome | string;
}

const appliedAll = ({ manifests: all }: ManifestRequest): ApplyOutcome => ({
  applied: all.map(({ id }) => id),
  problems: [],
});

/** A control plane whose API server can start as soon as the node has a configuration. */
async function openNode({ fetchManifest = async () => '', applyInTurn = appliedAll }: NodeInit = {}) {
  const requests: ManifestRequest[] = [];
  const runtime = openTestRuntime({
    nowMs: Date.now(),
    controllers: kubernetesControllers({
      ownAddress: '127.5.0.2',
      pods: undefined,
      openKubePrism: createMemoryBalancer,
      manifests: {
        loadManifest: createLoadManifest(fetchManifest),
        async applyInTurn(request) {
          requests.push(request);
          return applyInTurn(request);
        },
      },
    }),
  });
  const { state } = runtime;
  const put = async <S>(kind: KindRef<S>, id: string, spec: NoInfer<S>) => {
    await putResource(state, { ...pointerTo(kind, id), spec });
    await runtime.settled();
  };
  await put(timeStatuses, 'node', { synced: true, epoch: 0, syncDisabled: false });
  await put(networkStatuses, 'status', {
    ...{ addressReady: true, connectivityReady: true, hostnameReady: true, etcFilesReady: true },
  });
  await put(hostnameStatuses, 'hostname', { hostname: 'node01', domainname: '' });
  await put(staticPods, 'kube-apiserver', { pod: {} });
  return {
    runtime,
    requests,
    put,
    configure: (...patches: string[]) =>
      controlPlaneText({ patches }).then((text) => put(machineConfigs, 'v1alpha1', text)),
    etcdIsHealthy: (healthy = true) => put(services, 'etcd', { running: true, healthy, unknown: false }),
    specs: async <S>(kind: KindRef<S>) =>
      (await state.list(kind)).map(({ metadata, spec }) => [metadata.id, spec] as const),
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}

const external = (name: string, url = 'https://a.example.org/a.yaml') =>
  `apiVersion: v1alpha1\nkind: KubeExternalManifestConfig\nname: ${name}\nurl: ${url}`;
const inline = (name: string, text: string) =>
  `apiVersion: v1alpha1\nkind: KubeInlineManifestConfig\nname: ${name}\nmanifest: '${text}'`;
const object = (name: string) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"}}`;

test('manifests are applied once, as soon as etcd is healthy, and again when they change', async () => {
  await using node = await openNode();
  await node.configure();
  assert.equal(node.requests.length, 0);
  await node.etcdIsHealthy();
  const [{ manifests: first, isComplete, node: name, kubeconfig } = assert.fail()] = node.requests;
  const ids = first.map(({ id }) => id);
  assert.deepEqual([isComplete, name, ids], [true, 'node01', ids.toSorted()]);
  assert.match(kubeconfig, /^apiVersion: v1\nkind: Config\n/);
  assert.deepEqual(await node.specs(manifestStatuses), [['manifests', { manifestsApplied: ids }]]);
  const count = node.requests.length;
  await node.etcdIsHealthy(false);
  await node.etcdIsHealthy();
  assert.equal(node.requests.length, count);
  await node.configure(inline('mine', object('a')));
  assert.deepEqual(
    node.requests.at(-1)?.manifests.find(({ id }) => id === '99-mine'),
    { id: '99-mine', objects: [JSON.parse(object('a'))] },
  );
});

test('a manifest that cannot be downloaded is tried again, and nothing is deleted meanwhile', async () => {
  let fails = true;
  const fetched: string[] = [];
  await using node = await openNode({
    async fetchManifest(url) {
      fetched.push(url);
      if (fails) throw new Fault('unavailable', 'a.example.org answered with HTTP 503');
      return object('a');
    },
  });
  await node.etcdIsHealthy();
  await node.configure(external('mine'), inline('other', object('b')));
  const request = node.requests.at(-1);
  assert.equal(request?.isComplete, false);
  assert.ok(request.manifests.some(({ id }) => id === '99-other'));
  const message = 'a.example.org answered with HTTP 503';
  assert.deepEqual(await node.specs(manifestProblems), [
    ['99-mine', { manifest: '99-mine', object: '', message }],
  ]);
  fails = false;
  await node.runtime.advance(6_000);
  assert.deepEqual([node.requests.at(-1)?.isComplete, fetched.length], [true, 2]);
  assert.deepEqual(await node.specs(manifestProblems), []);
  // It is downloaded again only when its source changes, and keeps its objects when that fails.
  fails = true;
  await node.configure(external('mine'));
  assert.equal(fetched.length, 2);
  await node.configure(external('mine', 'https://b.example.org/b.yaml'));
  assert.equal(fetched.length, 3);
  assert.ok((await node.specs(manifests)).some(([id]) => id === '99-mine'));
  assert.equal(node.requests.at(-1)?.isComplete, true);
});

test('manifests are downloaded side by side, up to a limit', async () => {
  let [running, most, count] = [0, 0, 0];
  await using node = await openNode({
    async fetchManifest() {
      running += 1;
      count += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return object('a');
    },
  });
  await node.configure(...Array.from({ length: 20 }, (_, index) => external(`m${index}`)));
  const isLoaded = async () =>
    (await node.specs(manifests)).filter(([id]) => id.startsWith('99-m')).length === 20;
  await eventually(isLoaded, { what: 'all manifests' });
  assert.deepEqual([most, count], [maxDownloads, 20]);
});

test('a manifest that is no manifest is a problem of its own', async () => {
  await using node = await openNode();
  await node.etcdIsHealthy();
  await node.configure(inline('mine', 'a: 1'), inline('other', object('b')));
  const message = 'document 1 has no apiVersion or no kind';
  assert.deepEqual(await node.specs(manifestProblems), [
    ['99-mine', { manifest: '99-mine', object: '', message }],
  ]);
  assert.ok(node.requests.at(-1)?.manifests.some(({ id }) => id === '99-other'));
});

test('the statuses say which manifests are applied and why others are not, until they are', async () => {
  const problem = {
    manifest: '05-flannel',
    object: 'DaemonSet kube-system/kube-flannel',
    message: 'refused',
  };
  let fails = true;
  await using node = await openNode({
    applyInTurn: (request) =>
      fails ? { applied: ['11-core-dns'], problems: [problem] } : appliedAll(request),
  });
  await node.etcdIsHealthy();
  await node.configure();
  assert.deepEqual(await node.specs(manifestStatuses), [
    ['manifests', { manifestsApplied: ['11-core-dns'] }],
  ]);
  assert.deepEqual(await node.specs(manifestProblems), [
    ['05-flannel/DaemonSet kube-system/kube-flannel', problem],
  ]);
  fails = false;
  await node.runtime.advance(10_000);
  assert.deepEqual(await node.specs(manifestProblems), []);
  assert.equal((await node.specs(manifestStatuses))[0]?.[1].manifestsApplied.length, 10);
});

test('manifests wait for the API server and for their turn', async () => {
  let isReady = false;
  await using node = await openNode({
    applyInTurn: (request) => (isReady ? appliedAll(request) : 'not ready'),
  });
  await node.etcdIsHealthy();
  await node.configure();
  assert.ok(node.requests.length > 0);
  assert.deepEqual(await node.specs(manifestStatuses), []);
  await node.runtime.advance(1_000);
  isReady = true;
  await node.runtime.advance(2_000);
  assert.equal((await node.specs(manifestStatuses)).length, 1);
});

test('a node that is no longer a control plane publishes no manifests', async () => {
  await using node = await openNode();
  await node.etcdIsHealthy();
  await node.configure();
  await node.put(
    machineConfigs,
    'v1alpha1',
    'version: v1alpha1\nmachine: { type: controlplane }\ncluster: {}\n',
  );
  for (const kind of [manifests, manifestStatuses, manifestProblems, kubernetesSecrets])
    assert.deepEqual(await node.specs(kind as KindRef), []);
});
