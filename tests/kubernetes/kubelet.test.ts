// A control plane in one container whose kubelet runs Kubernetes: static pods, registration, pods of users, and the host.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { kubernetesNodeImage } from '@nodewright/build';
import { kubernetesPorts } from '@nodewright/contract';
import { runDocker } from '@nodewright/provision/engine';
import { eventually, hostState } from '@nodewright/testkit';
import { builtKubernetesVersion } from '../../packages/provision/src/domain/kubernetes-programs.ts';
import { startWholeNode, type WholeNode } from '../node-image/whole-node.ts';
import { kubectlPath, kubernetesTimeoutMs, skipWithoutKubelets } from './kubernetes-cluster.ts';

const skip = await skipWithoutKubelets();

const patches = [
  'machine: { features: { imageCache: { localEnabled: true } } }',
  // The test gives the node a network of its own below.
  'apiVersion: v1alpha1\nkind: KubeFlannelCNIConfig\n$patch: delete',
  // The server of the engine has a loopback address, at which CoreDNS would ask itself.
  'apiVersion: v1alpha1\nkind: ResolverConfig\nnameservers: [{ address: 192.0.2.53 }]',
];
const workloadImage = `registry.k8s.io/kube-scheduler:v${builtKubernetesVersion}`;
const scope = new AsyncDisposableStack();
let node: WholeNode;
let hostBefore: ReturnType<typeof hostState>;

const soon = (what: string, explain?: () => string) => ({
  ...{ what, timeoutMs: kubernetesTimeoutMs },
  ...(explain && { explain }),
});

before(async () => {
  if (skip) return;
  hostBefore = hostState();
  node = scope.use(
    await startWholeNode({
      ...{ isConfigured: true, image: kubernetesNodeImage },
      configuration: [
        ...['--kubernetes-version', builtKubernetesVersion],
        ...patches.flatMap((patch) => ['--config-patch', patch]),
      ],
    }),
  );
  await node.runs('apid', 'cri', 'machined', 'trustd', 'registryd');
  await talosctl('bootstrap');
});
after(() => scope.disposeAsync());

async function talosctl(...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await node.talosctl(...words);
  assert.equal(exitCode, 0, stderr);
  return stdout;
}

/** Runs kubectl as an administrator against the API server of the node. */
async function kubectl(words: readonly string[]): Promise<string> {
  const home = dirname(node.configuration);
  const { stdout } = await promisify(execFile)(
    kubectlPath,
    [
      ...[`--kubeconfig=${join(home, 'kubeconfig')}`, `--cache-dir=${join(home, 'kubectl-cache')}`],
      ...[`--server=https://${node.address}:${kubernetesPorts.apiServer}`, '--request-timeout=20s', ...words],
    ],
    { env: { PATH: process.env.PATH, HOME: home } },
  );
  return stdout;
}

/** The output, or the error as a text, for conditions that are awaited. */
const seen = (...words: string[]) => kubectl(words).catch((error: Error) => error.message);

test('the kubelet runs the control plane as static pods, and its API server is ready', { skip }, async () => {
  await node.runs('etcd', 'kubelet');
  await talosctl('kubeconfig', join(dirname(node.configuration), 'kubeconfig'), '--force');
  let latest = '';
  const isReady = async () => {
    latest = await seen('get', '--raw', '/readyz');
    return latest === 'ok';
  };
  await eventually(
    isReady,
    soon('the API server', () => latest),
  );
});

test('the node registers with its name and address, and its static pods are shown as ready', {
  skip,
}, async () => {
  let latest = '';
  const address = 'jsonpath={.items[*].status.addresses[?(@.type=="InternalIP")].address}';
  const isRegistered = async () => {
    latest = await seen('get', 'nodes', '-o', address);
    return latest === node.address;
  };
  await eventually(
    isRegistered,
    soon('the node in Kubernetes', () => latest),
  );
  assert.equal((await kubectl(['get', 'nodes', '-o', 'name'])).trim(), `node/${node.container}`);
  const components = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
  const areReady = async () => {
    latest = await talosctl('get', 'staticpodstatus');
    return components.every((name) =>
      new RegExp(`kube-system/${name}-${node.container}\\s+\\d+\\s+True`).test(latest),
    );
  };
  await eventually(
    areReady,
    soon('the static pods', () => latest),
  );
});

test('talosctl shows the containers of pods, and the kubelet as a service with its log', {
  skip,
}, async () => {
  const pod = `kube-system/kube-apiserver-${node.container}`;
  assert.match(
    await talosctl('containers', '-k'),
    new RegExp(
      `${pod}:kube-apiserver\\s+registry\\.k8s\\.io/kube-apiserver:v${builtKubernetesVersion}\\s+\\d+\\s+RUNNING`,
    ),
  );
  assert.match(
    await talosctl('logs', '-k', `${pod}:kube-apiserver`, '--tail', '3'),
    /^(\S+: \S+Z std(out|err) [FP] .*\n){3}$/,
  );
  assert.match(
    await talosctl('containers'),
    /system +kubelet +ghcr\.io\/siderolabs\/kubelet:v\S+ +\d+ +RUNNING/,
  );
  assert.match(await talosctl('logs', 'kubelet', '--tail', '1'), /"caller":"[^"]+","msg":"/);
});

test('with a network for pods the node is ready and runs a deployment, whose output it shows', {
  skip,
}, async () => {
  let latest = '';
  const podRange = async () => {
    latest = await seen('get', 'nodes', '-o', 'jsonpath={.items[*].spec.podCIDR}');
    return /^10\.244\.\d+\.0\/24$/.test(latest);
  };
  await eventually(
    podRange,
    soon('the subnet for pods', () => latest),
  );
  const text = JSON.stringify(bridgeNetwork(latest));
  const script = `require('fs').writeFileSync('/etc/cni/net.d/10-bridge.conflist', ${JSON.stringify(text)})`;
  await runDocker(['exec', node.container, '/usr/bin/node', '-e', script]);
  const ready = 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}';
  const isReady = async () => {
    latest = await seen('get', 'nodes', '-o', ready);
    return latest === 'True';
  };
  await eventually(
    isReady,
    soon('the node to be Ready', () => latest),
  );

  // The node owns this taint, and would write it again if kubectl removed it.
  const scheduling = join(dirname(node.configuration), 'scheduling.yaml');
  const taints = 'taints: { node-role.kubernetes.io/control-plane: { $patch: delete } }';
  await writeFile(scheduling, `apiVersion: v1alpha1\nkind: KubeNodeConfig\n${taints}\n`);
  await talosctl('patch', 'mc', '-p', `@${scheduling}`);
  const taintKeys = 'jsonpath={.items[*].spec.taints[*].key}';
  const isFree = async () => {
    latest = await seen('get', 'nodes', '-o', taintKeys);
    return latest === '';
  };
  await eventually(
    isFree,
    soon('the end of the taint', () => latest),
  );
  await kubectl(['create', 'deployment', 'web', '--image=registry.k8s.io/pause:3.10.2', '--replicas=2']);
  await kubectl([
    ...['run', 'version', `--image=${workloadImage}`, '--restart=Never', '--command', '--'],
    ...['/usr/local/bin/kube-scheduler', '--version'],
  ]);
  const phase = (selector: string) =>
    seen('get', 'pods', ...selector.split(' '), '-o', 'jsonpath={.items[*].status.phase}');
  const run = async () => {
    latest = `${await phase('-l app=web')} ${await phase('-l run=version')}`;
    return latest === 'Running Running Succeeded';
  };
  await eventually(
    run,
    soon('the pods', () => latest),
  );
  assert.equal((await kubectl(['logs', 'version'])).trim(), `Kubernetes v${builtKubernetesVersion}`);
});

test('a change of its settings restarts the kubelet, and its pods run on', { skip }, async () => {
  const ids = async () =>
    (
      await kubectl([
        'get',
        'pods',
        '-A',
        '-o',
        'jsonpath={.items[*].status.containerStatuses[*].containerID}',
      ])
    )
      .split(' ')
      .sort();
  let latest = '';
  const available = 'jsonpath={.status.availableReplicas}';
  const hasDns = async () => {
    latest = await seen('-n', 'kube-system', 'get', 'deployment', 'coredns', '-o', available);
    return latest === '2';
  };
  // The last pods that start on their own.
  await eventually(
    hasDns,
    soon('both pods of CoreDNS', () => latest),
  );
  const before = await ids();
  const patch = join(dirname(node.configuration), 'patch.yaml');
  await writeFile(patch, 'apiVersion: v1alpha1\nkind: KubeletConfig\nconfig: { maxPods: 42 }\n');
  await talosctl('patch', 'mc', '-p', `@${patch}`);
  const hasLimit = async () => {
    latest = await seen('get', 'nodes', '-o', 'jsonpath={.items[*].status.capacity.pods}');
    return latest === '42';
  };
  await eventually(
    hasLimit,
    soon('the new limit of pods', () => latest),
  );
  await node.runs('kubelet');
  assert.deepEqual(await ids(), before);
});

test('the host is as it was before', { skip }, async () => {
  assert.deepEqual(hostState(), hostBefore);
});

/** A network for the pods of one node. */
const bridgeNetwork = (subnet: string) => ({
  cniVersion: '1.0.0',
  name: 'cbr0',
  plugins: [
    {
      ...{ type: 'bridge', bridge: 'cni0', isDefaultGateway: true, hairpinMode: true },
      ipam: { type: 'host-local', ranges: [[{ subnet }]] },
    },
  ],
});
