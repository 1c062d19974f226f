// Kubernetes on nodes of processes: three API servers, controller managers and schedulers, without a kubelet.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseKubeconfig } from '@nodewright/client/kubeconfig';
import { eventually } from '@nodewright/testkit';
import { leftoversOf } from '../cluster/process/leftovers.ts';
import type { ProcessCluster, ProcessNode } from '../cluster/process/process-cluster.ts';
import {
  type KubectlInit,
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

const components = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
const soon = (what: string) => ({ what, timeoutMs: kubernetesTimeoutMs });
const run = (...words: string[]) => kubectl({ cluster }, ...words);
const at = (node: ProcessNode | undefined, init: Partial<KubectlInit> = {}) => {
  assert.ok(node !== undefined);
  return (...words: string[]) => kubectl({ cluster, server: node, ...init }, ...words);
};
const isReady = (node: ProcessNode) =>
  at(node)('get', '--raw', '/readyz')
    .then((text) => text === 'ok')
    .catch(() => false);

async function talosctl(...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await cluster.talosctl(...words);
  assert.equal(exitCode, 0, stderr);
  return stdout;
}

test('the API server of every control plane is ready, and a worker has none', { skip }, async () => {
  for (const node of cluster.controlPlanes) assert.equal(await at(node)('get', '--raw', '/readyz'), 'ok');
  // The others end until an API server answers, and start again.
  const runsEverything = async () => {
    const found = cluster.controlPlanes.flatMap((node) => components.map((name) => processOf(node, name)));
    return (await Promise.all(found)).every((process) => process !== undefined);
  };
  await eventually(runsEverything, soon('all components'));
  for (const node of cluster.workers)
    for (const component of components) assert.equal(await processOf(node, component), undefined);
});

test('what one API server was told, another one knows', { skip }, async () => {
  const [first, second, third] = cluster.controlPlanes;
  await at(first)('create', 'namespace', 'shared');
  await at(second)('-n', 'shared', 'create', 'configmap', 'settings', '--from-literal=colour=blue');
  const colour = () =>
    at(third)('-n', 'shared', 'get', 'configmap', 'settings', '-o', 'jsonpath={.data.colour}');
  assert.equal(await colour(), 'blue');
  await at(first)('-n', 'shared', 'create', 'secret', 'generic', 'key', '--from-literal=k=v');
  assert.equal(await at(second)('-n', 'shared', 'get', 'secret', 'key', '-o', 'jsonpath={.data.k}'), 'dg==');
});

test('a deployment is accepted, gets its pods from a controller, and stays pending without nodes', {
  skip,
}, async () => {
  assert.equal(await run('get', 'nodes', '-o', 'name'), '');
  await run('create', 'deployment', 'web', '--image=example.invalid/web', '--replicas=3');
  const phases = () => run('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].status.phase}');
  await eventually(
    async () => (await phases()) === 'Pending Pending Pending',
    soon('the pods of the deployment'),
  );
  const reasons = () =>
    run(
      'get',
      'pods',
      '-l',
      'app=web',
      '-o',
      'jsonpath={.items[*].status.conditions[?(@.type=="PodScheduled")].message}',
    );
  await eventually(
    async () => /no nodes available/.test(await reasons()),
    soon('the verdict of the scheduler'),
  );
});

test('talosctl shows the components as services, processes, logs and resources', { skip }, async () => {
  const [node] = cluster.controlPlanes;
  assert.ok(node !== undefined);
  const healthy = async () => {
    const table = await talosctl('-n', node.name, 'services');
    return components.every((name) => new RegExp(`\\s${name}\\s+Running\\s+OK`).test(table));
  };
  await eventually(healthy, soon('healthy services'));
  const processes = await talosctl('-n', node.name, 'processes');
  for (const component of components) assert.match(processes, new RegExp(`/${component}\\b`));
  assert.match(
    await talosctl('-n', node.name, 'logs', 'kube-apiserver', '--tail', '500'),
    /Serving securely/,
  );
  const statuses = await talosctl('-n', node.name, 'get', 'staticpodstatus');
  for (const component of components)
    assert.match(statuses, new RegExp(`kube-system/${component}-${node.name}\\s+\\d+\\s+True`));
  const argv = await talosctl(
    '-n',
    node.name,
    'get',
    'apiserverconfig',
    'final-kube-apiserver',
    '-o',
    'yaml',
  );
  assert.match(argv, /--etcd-servers=https:\/\/127\.0\.0\.1:2379/);
});

test('talosctl kubeconfig writes a kubeconfig that works', { skip }, async () => {
  const path = join(cluster.home, 'mine');
  const [node] = cluster.controlPlanes;
  await talosctl('-n', node?.name ?? '', 'kubeconfig', path, '--force-context-name', 'lab');
  const config = parseKubeconfig(await readFile(path, 'utf8'), path);
  assert.equal(config.currentContext, 'lab');
  assert.equal(await run(`--kubeconfig=${path}`, 'get', '--raw', '/livez'), 'ok');
});

test('an API server that is killed comes back, and the others answer meanwhile', { skip }, async () => {
  const [first, second] = cluster.controlPlanes;
  assert.ok(first !== undefined && second !== undefined);
  const before = (await processOf(first, 'kube-apiserver'))?.pid;
  assert.ok(before !== undefined);
  process.kill(before, 'SIGKILL');
  assert.equal(
    await at(second)('get', 'configmap', '-n', 'shared', 'settings', '-o', 'name'),
    'configmap/settings\n',
  );
  const isBack = async () =>
    (await processOf(first, 'kube-apiserver'))?.pid !== before && (await isReady(first));
  await eventually(isBack, soon('the API server after SIGKILL'));
});

test('every node passes clients to an API server that answers, while another one hangs or is down', {
  skip,
}, async () => {
  const [first] = cluster.controlPlanes;
  assert.ok(first !== undefined);
  const through = ({ address }: ProcessNode) =>
    run(
      ...['--server', `https://${address}:7445`, '--tls-server-name=localhost'],
      ...['get', '--raw', '/readyz'],
    );
  const answersEverywhere = async () => {
    for (const node of cluster.nodes)
      for (let call = 0; call < 3; call += 1) assert.equal(await through(node), 'ok');
    return true;
  };
  await eventually(answersEverywhere, soon('an API server behind every KubePrism'));
  const pid = (await processOf(first, 'kube-apiserver'))?.pid;
  assert.ok(pid !== undefined);
  process.kill(pid, 'SIGSTOP');
  try {
    // A check finds it within 25 s.
    await eventually(answersEverywhere, soon('answers beside an API server that hangs'));
  } finally {
    process.kill(pid, 'SIGKILL');
  }
  // A server that was just started accepts connections before it is ready.
  await eventually(answersEverywhere, soon('answers after the API server was killed'));
  const statuses = await talosctl(
    '-n',
    cluster.nodes.map(({ name }) => name).join(','),
    'get',
    'kubeprismstatuses',
  );
  assert.equal(statuses.match(/\btrue$/gm)?.length, cluster.nodes.length);
  await eventually(() => isReady(first), soon('the API server after SIGKILL'));
});

test('a change of its configuration restarts the API server of that node alone', { skip }, async () => {
  const [first, second] = cluster.controlPlanes;
  assert.ok(first !== undefined && second !== undefined);
  const other = (await processOf(second, 'kube-apiserver'))?.pid;
  const patch = 'apiVersion: v1alpha1\nkind: KubeAPIServerConfig\nextraArgs: { goaway-chance: "0.01" }';
  await talosctl('-n', first.name, 'patch', 'mc', '-p', patch);
  const hasFlag = async () => {
    const args = (await processOf(first, 'kube-apiserver'))?.args ?? '';
    return args.includes('--goaway-chance=0.01') && (await isReady(first));
  };
  await eventually(hasFlag, soon('the API server with the new flag'));
  assert.equal((await processOf(second, 'kube-apiserver'))?.pid, other);
});

test('the cluster is healthy, and the checks say what this kind of node lacks', { skip }, async () => {
  const { exitCode, stderr } = await cluster.talosctl('health', '--wait-timeout', '3m');
  assert.equal(exitCode, 0, stderr);
  for (const check of [
    'all control plane static pods to be running',
    'all control plane components to be ready',
  ])
    assert.match(stderr, new RegExp(`waiting for ${check}: OK`));
  assert.match(stderr, /skipped, because no control plane runs a kubelet: all k8s nodes to report, /);
});

test('a destroyed cluster leaves no process, no socket and no file', { skip }, async () => {
  const { home, view } = cluster;
  await talosctl('cluster', 'destroy', '--name', cluster.name, '--force');
  const own = /^(mine|kubectl-cache(\/.*)?)$/;
  const left = leftoversOf(home, [view.network.cidr]).filter((entry) => !own.test(entry));
  assert.deepEqual(left, []);
});
