// A change of the API server that all control planes get at once: they replace it one at a time, and stop at a mistake.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { kubernetesPorts } from '@nodewright/contract';
import { eventually } from '@nodewright/testkit';
import { probeHttps } from '../../services/machined/src/kubernetes/host/probe-https.ts';
import type { ProcessCluster, ProcessNode } from '../cluster/process/process-cluster.ts';
import {
  kubectl,
  kubernetesTimeoutMs,
  openKubernetesCluster,
  processOf,
  skipWithoutKubernetes,
} from './kubernetes-cluster.ts';

const skip = skipWithoutKubernetes();
const scope = new AsyncDisposableStack();
let cluster: ProcessCluster;
before(async () => {
  if (!skip) cluster = scope.use(await openKubernetesCluster());
});
after(() => scope.disposeAsync());

const soon = (what: string) => ({ what, timeoutMs: kubernetesTimeoutMs });
const server = 'kube-apiserver';
const manager = 'kube-controller-manager';

async function talosctl(...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await cluster.talosctl(...words);
  assert.equal(exitCode, 0, stderr);
  return stdout;
}

/** Gives all control planes the same patch with one command. */
const patchAll = (patch: string) =>
  talosctl('-n', cluster.controlPlanes.map(({ name }) => name).join(','), 'patch', 'mc', '-p', patch);
const withFlags = (flags: string) => `apiVersion: v1alpha1\nkind: KubeAPIServerConfig\nextraArgs: ${flags}`;

async function isReady({ address: host }: ProcessNode): Promise<boolean> {
  const { healthy } = await probeHttps({ host, port: kubernetesPorts.apiServer, path: '/readyz' }, 5_000);
  return healthy;
}

const each = <T>(ask: (node: ProcessNode) => Promise<T>) => Promise.all(cluster.controlPlanes.map(ask));
const pidsOf = (component: string) => each(async (node) => (await processOf(node, component))?.pid);
const argsOf = () => each(async (node) => (await processOf(node, server))?.args ?? '');

async function allReady(): Promise<void> {
  await eventually(
    async () => (await each(isReady)).every((ready) => ready),
    soon('three ready API servers'),
  );
}

/** Waits for a condition, and returns the largest number of API servers that were not ready at once meanwhile. */
async function watchUntil(what: string, holds: () => Promise<boolean>): Promise<number> {
  let worst = 0;
  await eventually(async () => {
    const ready = await each(isReady);
    worst = Math.max(worst, ready.filter((one) => !one).length);
    return holds();
  }, soon(what));
  return worst;
}

test('API servers are replaced one at a time when all control planes change at once', { skip }, async () => {
  await allReady();
  const before = await pidsOf(server);
  await patchAll(withFlags('{ goaway-chance: "0.01" }'));
  const worst = await watchUntil('the new flag everywhere', async () => {
    const args = await argsOf();
    return (
      args.every((text) => text.includes('--goaway-chance=0.01')) && (await each(isReady)).every(Boolean)
    );
  });
  assert.equal(worst, 1);
  assert.ok((await pidsOf(server)).every((pid, index) => pid !== before[index]));
});

test('a change of the encryption in etcd alone replaces the API servers, one at a time, and nothing else', {
  skip,
}, async () => {
  await allReady();
  await kubectl({ cluster }, 'create', 'secret', 'generic', 'kept', '--from-literal=k=v');
  const [servers, managers] = [await pidsOf(server), await pidsOf(manager)];
  const text = await talosctl(
    '-n',
    cluster.controlPlanes[0]?.name ?? '',
    'get',
    'mc',
    'v1alpha1',
    '-o',
    'yaml',
  );
  const key = /^\s+secret: ([A-Za-z0-9+/]{43}=)$/m.exec(text)?.[1];
  assert.ok(key !== undefined);
  const providers = `[{ secretbox: { keys: [{ name: key2, secret: ${key} }] } }, { identity: {} }]`;
  await patchAll(
    `apiVersion: v1alpha1\nkind: KubeEtcdEncryptionConfig\nconfig: { resources: [{ resources: [secrets], providers: ${providers} }] }`,
  );
  const worst = await watchUntil('new API servers', async () => {
    const pids = await pidsOf(server);
    const areNew = pids.every((pid, index) => pid !== undefined && pid !== servers[index]);
    return areNew && (await each(isReady)).every(Boolean);
  });
  assert.equal(worst, 1);
  assert.deepEqual(await pidsOf(manager), managers);
  assert.equal(await kubectl({ cluster }, 'get', 'secret', 'kept', '-o', 'jsonpath={.data.k}'), 'dg==');
});

test('an API server that does not become ready stops the others, and its node says why', {
  skip,
}, async () => {
  await allReady();
  await patchAll(withFlags('{ not-a-flag: "1" }'));
  const statusOf = (node: ProcessNode) =>
    talosctl('-n', node.name, 'get', 'staticpodstatus', `kube-system/${server}-${node.name}`, '-o', 'yaml');
  let failed: ProcessNode | undefined;
  await eventually(async () => {
    assert.ok((await each(isReady)).filter((ready) => !ready).length <= 1);
    for (const node of cluster.controlPlanes)
      if ((await statusOf(node)).includes('reason: ReplacementFailed')) failed = node;
    return failed !== undefined;
  }, soon('the report of the failed replacement'));
  assert.match(await statusOf(failed ?? assert.fail()), /not ready 120 s after it was replaced/);
  const others = cluster.controlPlanes.filter((node) => node !== failed);
  for (const node of others) {
    const waits = async () => (await statusOf(node)).includes('reason: WaitsForOthers');
    await eventually(waits, soon('the reason of the others'));
    assert.ok(await isReady(node));
    assert.match(await statusOf(node), new RegExp(`${server} of ${failed?.name} is not ready`));
    assert.ok(!(await processOf(node, server))?.args.includes('not-a-flag'));
  }
  const { exitCode, stderr } = await cluster.talosctl('health', '--wait-timeout', '5s');
  assert.notEqual(exitCode, 0);
  assert.match(stderr, /not ready 120 s after it was replaced/);
  // The configuration is still what the user applied, and its correction takes effect everywhere.
  for (const { name } of cluster.controlPlanes)
    assert.match(await talosctl('-n', name, 'get', 'mc', 'v1alpha1', '-o', 'yaml'), /not-a-flag/);
  await patchAll(withFlags('{ not-a-flag: { $patch: delete }, v: "1" }'));
  const worst = await watchUntil('the corrected flags', async () => {
    const args = await argsOf();
    return args.every((text) => text.includes('--v=1')) && (await each(isReady)).every(Boolean);
  });
  assert.ok(worst <= 1);
});
