// What operators do to a running cluster of kubelets, and what happens to it: a change of the API server that all control planes get
// at once, the loss of a control plane, and resets. The nodes are containers.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { kubernetesPorts } from '@nodewright/contract';
import { runDocker } from '@nodewright/provision/engine';
import { eventually } from '@nodewright/testkit';
import type { Node } from '../cluster/cluster.ts';
import type { DockerCluster } from '../cluster/docker/docker-cluster.ts';
import {
  apiServer,
  type ControlPlanes,
  controlPlanesOf,
  isApiServerReady as isReady,
  withApiServerFlags,
} from './control-planes.ts';
import { kubectl, openKubeletCluster, skipWithoutKubelets } from './kubernetes-cluster.ts';
import { type ApiAnswers, watchApi } from './watch-api.ts';
import { pageOf, webDeployment } from './workload-manifests.ts';

const skip = await skipWithoutKubelets();
const scope = new AsyncDisposableStack();
/** Three replacements after each other, each of which may take the two minutes of its deadline. */
const timeoutMs = 480_000;
const soon = (what: string, explain?: () => string) => ({ what, timeoutMs, ...(explain && { explain }) });
/** The default of the configuration. */
const kubePrismPort = 7445;
let cluster: DockerCluster;
let planes: ControlPlanes;
let workers: readonly Node[];
/** The address that control planes share. */
let shared = '';

before(async () => {
  if (skip) return;
  cluster = scope.use(await openKubeletCluster({ controlPlanes: 3, workers: 1 }));
  planes = controlPlanesOf(cluster);
  workers = cluster.nodes.filter(({ type }) => type === 'worker');
  shared = (cluster.nodes[0]?.address ?? '').replace(/\d+$/, '250');
  await planes.patchAll(
    JSON.stringify({ apiVersion: 'v1alpha1', kind: 'Layer2VIPConfig', name: shared, link: 'eth0' }),
  );
});
after(() => scope.disposeAsync());

const run = (...words: string[]) => kubectl({ cluster }, ...words);
const areReady = () => planes.each(({ address }) => isReady(address));

/** The command line of the API server that a node runs; empty while it runs none. */
const argsOf = async (node: Node) => (await planes.processOf(node, apiServer))?.args ?? '';

/**
 * Waits until all API servers run with a flag and are ready. Fails when more than one was not ready at once meanwhile, and returns how
 * many were.
 */
async function untilAllHave(flag: string): Promise<number> {
  const begunMs = performance.now();
  const looks: string[] = [];
  let worst = 0;
  let latest: readonly string[] = [];
  const haveIt = async () => {
    const ready = await areReady();
    worst = Math.max(worst, ready.filter((one) => !one).length);
    latest = await planes.each(argsOf);
    const states = ready.map(
      (one, index) => `${one ? 'ready' : 'not ready'}${latest[index]?.includes(flag) ? ' with it' : ''}`,
    );
    looks.push(`${((performance.now() - begunMs) / 1000).toFixed(1)} s: ${states.join(', ')}`);
    return ready.every(Boolean) && latest.every((args) => args.includes(flag));
  };
  await eventually(
    haveIt,
    soon(`${flag} everywhere`, () => latest.join('\n')),
  );
  assert.ok(worst <= 1, looks.join('\n'));
  return worst;
}

test('API servers of kubelets are replaced one at a time when all control planes change at once', {
  skip,
}, async () => {
  await eventually(async () => (await areReady()).every(Boolean), soon('three ready API servers'));
  await planes.patchAll(withApiServerFlags('{ goaway-chance: "0.01" }'));
  assert.equal(await untilAllHave('--goaway-chance=0.01'), 1);
});

test('one that does not become ready stops the others, and its node and talosctl health say why', {
  skip,
}, async () => {
  await planes.patchAll(withApiServerFlags('{ not-a-flag: "1" }'));
  let worst = 0;
  let found: Node | undefined;
  const isReported = async () => {
    worst = Math.max(worst, (await areReady()).filter((ready) => !ready).length);
    for (const node of cluster.controlPlanes)
      if ((await planes.statusOf(node)).includes('reason: ReplacementFailed')) found = node;
    return found !== undefined;
  };
  await eventually(isReported, soon('the report of the failed replacement'));
  assert.equal(worst, 1);
  const failed = found ?? assert.fail();
  assert.match(await planes.statusOf(failed), /not ready 120 s after it was replaced/);
  for (const node of cluster.controlPlanes.filter((other) => other !== failed)) {
    let latest = '';
    const waits = async () => {
      latest = await planes.statusOf(node);
      return latest.includes('reason: WaitsForOthers');
    };
    await eventually(
      waits,
      soon('the reason of the others', () => latest),
    );
    assert.match(latest, new RegExp(`${apiServer} of ${failed.name} is not ready`));
    assert.ok(await isReady(node.address));
    assert.doesNotMatch(await argsOf(node), /not-a-flag/);
  }
  const { exitCode, stderr } = await cluster.talosctl(
    ...['-n', failed.name, 'health', '--wait-timeout', '15s'],
  );
  assert.notEqual(exitCode, 0);
  assert.match(stderr, /not ready 120 s after it was replaced/);
  // No node has changed its configuration, and a correction takes effect everywhere.
  for (const { name } of cluster.controlPlanes)
    assert.match(await planes.talosctl('-n', name, 'get', 'mc', 'v1alpha1', '-o', 'yaml'), /not-a-flag/);
  await planes.patchAll(withApiServerFlags('{ not-a-flag: { $patch: delete }, v: "1" }'));
  await untilAllHave('--v=1');
});

const said = ({ answered, failed, longestGapSeconds }: ApiAnswers) =>
  `${answered} answers, ${failed} failures, longest time without an answer ${longestGapSeconds} s`;

test('the API answers while a control plane is killed and comes back: by KubePrism, by the shared address, and by another node', {
  skip,
}, async () => {
  await eventually(() => isReady(shared), soon('the API at the shared address'));
  const [victim = assert.fail()] = (
    await planes.each(async (node) =>
      (await planes.talosctl('-n', node.name, 'get', 'addresses')).includes(shared) ? [node] : [],
    )
  ).flat();
  const leads = async ({ name }: Node) => {
    const [{ memberId, leader }] = JSON.parse(
      await planes.talosctl('-n', name, 'etcd', 'status', '-o', 'json'),
    );
    return memberId === leader;
  };
  await eventually(
    async () => !(await leads(victim)),
    soon('a leader of etcd apart from the shared address'),
  );
  const other = cluster.controlPlanes.find((node) => node !== victim) ?? assert.fail();
  const [worker = assert.fail()] = workers;
  const watches = {
    'KubePrism of the worker': watchApi('127.0.0.1', kubePrismPort, cluster.containerOf(worker.name)),
    'the shared address': watchApi(shared, kubernetesPorts.apiServer),
    'another control plane': watchApi(other.address, kubernetesPorts.apiServer),
  };
  await runDocker(['kill', cluster.containerOf(victim.name)]);
  await eventually(async () => !(await isReady(victim.address)), soon('the loss of the API server'));
  await eventually(() => isReady(victim.address), soon('the API server of the node that was killed'));
  await eventually(() => isReady(shared), soon('the API at the shared address'));
  for (const [what, watch] of Object.entries(watches)) {
    const answers = await watch.stop();
    process.stdout.write(`${what}: ${said(answers)}\n`);
    assert.ok(answers.answered > 0, what);
  }
  const ready = 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}';
  await eventually(
    async () => (await run('get', 'nodes', '-o', ready)) === 'True True True True',
    soon('four Ready nodes'),
  );
});

/** The names of nodes on which the pods of the deployment are. */
const nodesOfPods = async () =>
  (await run('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].spec.nodeName}')).split(' ');
const isDrained = async ({ name }: Node) => {
  const node = await run('get', 'node', name, '-o', 'jsonpath={.spec.unschedulable}');
  return node === 'true' && !(await nodesOfPods()).includes(name);
};
/** A deployment with a pod on each node. */
async function applyWeb(): Promise<void> {
  // Unlike the pods of other tests, these do not tolerate that their node is cordoned.
  const deployment = webDeployment('one');
  const tolerations = [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' }];
  const { template } = deployment.spec;
  const spec = { ...template.spec, tolerations };
  const changed = {
    ...deployment,
    spec: { ...deployment.spec, replicas: 4, template: { ...template, spec } },
  };
  for (const object of [pageOf('page'), changed])
    await kubectl({ cluster, input: JSON.stringify(object) }, 'apply', '-f', '-');
  await eventually(async () => new Set(await nodesOfPods()).size === 4, soon('a pod on each node'));
}

const phasesOf = (text: string) => [...text.matchAll(/phase: (\w+) action: START/g)].map(([, name]) => name);

test('a reboot with --drain, which a node in a container refuses, drains nothing', { skip }, async () => {
  await applyWeb();
  const [worker = assert.fail()] = workers;
  const { exitCode, stderr } = await cluster.talosctl('-n', worker.name, 'reboot', '--drain', '--yes');
  assert.notEqual(exitCode, 0);
  assert.match(stderr, /reboot is not supported in container mode: nothing was drained/);
  assert.doesNotMatch(stderr, /cordoned|evicted/);
  assert.equal(await run('get', 'node', worker.name, '-o', 'jsonpath={.spec.unschedulable}'), '');
  assert.ok((await nodesOfPods()).includes(worker.name));
});

test('a control plane is not reset gracefully while etcd needs its vote', { skip }, async () => {
  const [, second = assert.fail(), third = assert.fail()] = cluster.controlPlanes;
  await runDocker(['pause', cluster.containerOf(third.name)]);
  const refused = await cluster
    .talosctl('-n', second.name, 'reset', '--yes')
    .finally(() => runDocker(['unpause', cluster.containerOf(third.name)]));
  const { exitCode, stderr } = refused;
  assert.notEqual(exitCode, 0);
  assert.match(stderr, /removing \S+ would leave 1 of 2 voters alive/);
  assert.deepEqual(phasesOf(stderr), ['checkEtcd']);
  await eventually(
    async () => (await cluster.talosctl('-n', second.name, 'health', '--wait-timeout', '30s')).exitCode === 0,
    soon('a healthy cluster'),
  );
});

test('a graceful reset of a worker drains it first, and one of a control plane then leaves etcd', {
  skip,
}, async () => {
  await applyWeb();
  const [worker = assert.fail()] = workers;
  const third = cluster.controlPlanes[2] ?? assert.fail();
  for (const [node, phases] of [
    [worker, ['drain', 'preReset', 'stopEverything']],
    [third, ['checkEtcd', 'drain', 'leave', 'preReset', 'stopEverything']],
  ] as const) {
    const { exitCode, stderr } = await cluster.talosctl('-n', node.name, 'reset', '--yes');
    assert.equal(exitCode, 0, stderr);
    assert.deepEqual(phasesOf(stderr), phases);
    assert.ok(await isDrained(node));
  }
  const members = await planes.talosctl('-n', cluster.controlPlanes[0]?.name ?? '', 'etcd', 'members');
  assert.doesNotMatch(members, new RegExp(third.name));
  await eventually(
    async () =>
      (await Promise.all(cluster.controlPlanes.slice(0, 2).map(({ address }) => isReady(address)))).every(
        Boolean,
      ),
    soon('the other API servers'),
  );
});
