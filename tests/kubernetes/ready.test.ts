// The short test of nodes with a kubelet, for every landing: a control plane and a worker, kubectl, the cluster DNS, and what
// talosctl shows of pods. The longer ones are beside it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { busyboxImage } from '../../rootfs/kubernetes/image-table.ts';
import type { DockerCluster } from '../cluster/docker/docker-cluster.ts';
import {
  kubectl,
  kubernetesTimeoutMs,
  openKubeletCluster,
  skipWithoutKubelets,
} from './kubernetes-cluster.ts';
import { hostPortPod } from './workload-manifests.ts';

const skip = await skipWithoutKubelets();
const scope = new AsyncDisposableStack();
let cluster: DockerCluster;

before(async () => {
  if (!skip) cluster = scope.use(await openKubeletCluster({ controlPlanes: 1, workers: 1 }));
});
after(() => scope.disposeAsync());

const run = (...words: string[]) => kubectl({ cluster }, ...words);

async function talosctl(...words: string[]): Promise<{ stdout: string; stderr: string }> {
  const { exitCode, stdout, stderr } = await cluster.talosctl(...words);
  assert.equal(exitCode, 0, stderr);
  return { stdout, stderr };
}

/** Waits until an output matches. */
async function seen(pattern: RegExp, what: string, read: () => Promise<string>): Promise<void> {
  let latest = '';
  const matches = async () => {
    latest = await read().catch((error: Error) => error.message);
    return pattern.test(latest);
  };
  await eventually(matches, { what, timeoutMs: kubernetesTimeoutMs, explain: () => latest });
}

test('both nodes are Ready, and no check of talosctl health is skipped', { skip }, async () => {
  const ready = 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}';
  assert.equal(await run('get', 'nodes', '-o', ready), 'True True');
  const { stdout, stderr } = await talosctl(
    '-n',
    cluster.controlPlanes[0]?.name ?? '',
    'health',
    '-o',
    'json',
  );
  assert.doesNotMatch(stderr, /SKIP|skipped/);
  assert.equal((JSON.parse(stdout) as { healthy: boolean }).healthy, true);
});

test('a pod looks up the API server by its name', { skip }, async () => {
  const words = ['nslookup', 'kubernetes.default.svc.cluster.local'];
  await run('run', 'lookup', `--image=${busyboxImage}`, '--restart=OnFailure', '--command', '--', ...words);
  await seen(/^Succeeded$/, 'the end of the pod', () =>
    run('get', 'pod', 'lookup', '-o', 'jsonpath={.status.phase}'),
  );
  assert.match(await run('logs', 'lookup'), /Address: 10\.96\.0\.1\n/);
});

test('a port of the worker leads to a pod', { skip }, async () => {
  const node = cluster.nodes.find(({ type }) => type === 'worker') ?? assert.fail();
  // Only namespaces that allow it may use ports of nodes.
  await run('create', 'namespace', 'ports');
  await run('label', 'namespace', 'ports', 'pod-security.kubernetes.io/enforce=privileged');
  await kubectl(
    { cluster, input: JSON.stringify(hostPortPod(node.name)) },
    '-n',
    'ports',
    'apply',
    '-f',
    '-',
  );
  const page = async () => (await fetch(`http://${node.address}:18080/`)).text();
  await seen(/^page\n$/, 'the page at the port of the node', page);
});

test('talosctl shows what the containers of pods use', { skip }, async () => {
  const { stdout } = await talosctl('-n', cluster.controlPlanes[0]?.name ?? '', 'stats', '-k');
  const [, memory = '', cpu = ''] = /kube-apiserver-\S+:kube-apiserver +([\d.]+) +(\d+)\n/.exec(stdout) ?? [];
  assert.ok(Number(memory) > 1, stdout);
  assert.ok(Number(cpu) > 0, stdout);
});
