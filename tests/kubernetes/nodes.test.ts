// The life of a Kubernetes node against real API servers. Nodes of processes have no kubelet, so the test does what a kubelet does
// for the Node object and the pods, with the certificate that a kubelet would have.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type KubeNode, openKubeNodes } from '@nodewright/client/kube-nodes';
import { kubeNodesConformance } from '@nodewright/client/kube-nodes/testing';
import { type KubernetesApi, openKubernetesApi, parseKubeconfig } from '@nodewright/client/kubeconfig';
import { ControllerRuntime } from '@nodewright/controllers';
import { kubeletPaths } from '@nodewright/node-files';
import { issueCertificate } from '@nodewright/pki';
import { type KindRef, MemoryState, pointerTo, putResource } from '@nodewright/state';
import {
  kubernetesSecrets,
  type MachineStageName,
  machineConfigs,
  machineStatuses,
  nodenames,
  nodeStatuses,
} from '@nodewright/state/kinds';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import {
  type KubeletCheck,
  nodesReady,
  nodesReport,
  nodesSchedulable,
  proxyReady,
} from '../../packages/client/src/health/kubelet-checks.ts';
import { openKubernetesView } from '../../packages/client/src/health/kubernetes-view.ts';
import { openKubeNode } from '../../services/machined/src/kube-node/open-kube-node.ts';
import type { ProcessCluster } from '../cluster/process/process-cluster.ts';
import {
  kubectl,
  kubernetesTimeoutMs,
  openKubernetesCluster,
  skipWithoutKubernetes,
} from './kubernetes-cluster.ts';

const skip = skipWithoutKubernetes();
const scope = new AsyncDisposableStack();
let cluster: ProcessCluster;
let kubeconfig: string;
let api: KubernetesApi;
before(async () => {
  if (skip) return;
  cluster = scope.use(await openKubernetesCluster());
  const path = join(cluster.view.folder, 'kubeconfig');
  kubeconfig = await readFile(path, 'utf8');
  api = scope.use(openKubernetesApi(parseKubeconfig(kubeconfig, path)));
});
after(() => scope.disposeAsync());

const signal = new AbortController().signal;
const run = (...words: string[]) => kubectl({ cluster }, ...words);
const soon = (what: string) => ({ what, timeoutMs: kubernetesTimeoutMs });
const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });

kubeNodesConformance('a real API server', { skip, api: () => api, timeoutMs: kubernetesTimeoutMs });

interface ShownSecret {
  readonly spec: { readonly issuingCA: { readonly crt: string; readonly key: string } };
}

/** The files of a kubelet that has joined the cluster as a node. */
async function kubeletFolder(node: string): Promise<string> {
  const { stdout } = await cluster.talosctl(
    ...['-n', cluster.controlPlanes[0]?.name ?? '', 'get', 'kubernetesrootsecret', 'k8s', '-o', 'json'],
  );
  const { crt, key } = (JSON.parse(stdout) as ShownSecret).spec.issuingCA;
  const pem = (text: string) => (text.startsWith('-----') ? text : Buffer.from(text, 'base64').toString());
  const issued = await issueCertificate({
    issuer: { certificate: pem(crt), key: pem(key) },
    subject: { commonName: `system:node:${node}`, organizations: ['system:nodes'] },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['clientAuth'],
    notBefore: new Date(Date.now() - 60_000),
    lifetimeHours: 1,
  });
  const root = await mkdtemp(join(cluster.home, 'kubelet-'));
  scope.defer(() => rm(root, { recursive: true, force: true }));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  await write(kubeletPaths.clientCertificate, `${issued.certificate}${issued.key}`);
  const config = parseKubeconfig(kubeconfig, 'kubeconfig');
  const file = kubeletPaths.clientCertificate;
  await write(
    kubeletPaths.kubeconfig,
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', clusters: config.clusters },
      users: [{ name: 'kubelet', user: { 'client-certificate': file, 'client-key': file } }],
      contexts: [{ name: 'own', context: { cluster: config.clusters[0]?.name, user: 'kubelet' } }],
      'current-context': 'own',
    }),
  );
  return root;
}

/** Keeps the node ready, and starts and ends the pods that are on it, until the scope of the test file ends. */
function runHollowKubelet(node: string): void {
  const stop = new AbortController();
  const nodes = openKubeNodes({ api, signal: stop.signal });
  const patch = async (path: string, status: unknown) => {
    const body = JSON.stringify({ status });
    const contentType = 'application/merge-patch+json';
    await api.send({ method: 'PATCH', path, contentType, body, signal: stop.signal });
  };
  const capacity = { cpu: '4', memory: '4Gi', pods: '50' };
  const beat = async () => {
    const now = new Date().toISOString();
    const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now };
    const nodeStatus = {
      capacity,
      allocatable: capacity,
      conditions: [{ ...ready, reason: 'KubeletReady' }],
    };
    await patch(`/api/v1/nodes/${node}/status`, nodeStatus);
    for (const { metadata, status } of await nodes.podsOn(node)) {
      const path = `/api/v1/namespaces/${metadata?.namespace}/pods/${metadata?.name}`;
      if (metadata?.deletionTimestamp !== undefined) {
        const body = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 });
        await api.send({ method: 'DELETE', path, body, signal: stop.signal });
      } else if (status?.phase !== 'Running') {
        await patch(`${path}/status`, {
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: now }],
        });
      }
    }
  };
  const beats = (async () => {
    while (!stop.signal.aborted) {
      await beat().catch(() => {});
      await pause(500);
    }
  })();
  scope.defer(async () => {
    stop.abort();
    await beats;
  });
}

interface OpenNodeInit {
  /** A control plane has the credentials of an administrator, a worker only those of its kubelet. */
  readonly isControlPlane: boolean;
  readonly configuration: string;
}

/** The topic of machined on a node with the credentials of a kubelet. */
async function openNode(name: string, { isControlPlane, configuration }: OpenNodeInit) {
  const state = new MemoryState({ now: () => Date.now(), cookie: new Uint8Array(8) });
  const root = await kubeletFolder(name);
  const topic = openKubeNode({ layout: { root }, log, state });
  const runtime = scope.use(new ControllerRuntime({ state, log, telemetry: noTelemetry }));
  for (const controller of topic.controllers) runtime.register(controller);
  runtime.start();
  const put = async <S>(kind: KindRef<S>, id: string, spec: NoInfer<S>) => {
    await putResource(state, { ...pointerTo(kind, id), spec });
  };
  const configure = (text: string) => put(machineConfigs, 'v1alpha1', text);
  await configure(configuration);
  await put(nodenames, 'nodename', { nodename: name, hostnameVersion: '1', skipNodeRegistration: false });
  if (isControlPlane) {
    const admin = { localhostAdminKubeconfig: kubeconfig, adminKubeconfig: kubeconfig };
    const others = { schedulerKubeconfig: '', controllerManagerKubeconfig: '' };
    await put(kubernetesSecrets, 'k8s-certs', { ...admin, ...others });
  }
  const status = { ready: true, unmetConditions: [] };
  return {
    ...{ topic, configure },
    stage: (stage: MachineStageName) => put(machineStatuses, 'machine', { stage, status }),
    status: async () => (await state.list(nodeStatuses)).find(({ metadata }) => metadata.id === name)?.spec,
    read: async () => (await openKubeNodes({ api, signal }).read(name)) as KubeNode,
  };
}

const hasRow = (object: Readonly<Record<string, string>> | undefined, key: string, value: string) =>
  object !== undefined && object[key] === value;
const role = 'node-role.kubernetes.io/control-plane';
const legacy = (machine: string) => `version: v1alpha1\nmachine: ${machine}\ncluster: {}\n`;

test('a control plane marks its node as the configuration says, and takes back what leaves it', {
  skip,
}, async () => {
  const document = (fields: string) => `apiVersion: v1alpha1\nkind: KubeNodeConfig\n${fields}`;
  const control = (fields: string) => `${legacy('{ type: controlplane }')}---\n${document(fields)}`;
  const node = await openNode('life-cp', {
    isControlPlane: true,
    configuration: control(
      `labels: { ${role}: "", zone: a }\nannotations: { note: x }\ntaints: { ${role}: NoSchedule }`,
    ),
  });
  await node.stage('running');
  await register('life-cp');
  await run('annotate', 'node', 'life-cp', 'theirs=y');
  const taintKeys = async () => (await node.read()).spec?.taints?.map(({ key }) => key) ?? [];
  await eventually(async () => (await taintKeys()).includes(role), soon('the taint'));
  const metadata = async () => (await node.read()).metadata;
  assert.ok(hasRow((await metadata())?.labels, 'zone', 'a'));
  assert.ok(hasRow((await metadata())?.annotations, 'note', 'x'));
  await run('taint', 'node', 'life-cp', 'theirs=z:NoSchedule');
  await node.configure(control('labels: { zone: b }'));
  await eventually(async () => hasRow((await metadata())?.labels, 'zone', 'b'), soon('the other zone'));
  await eventually(async () => !(await taintKeys()).includes(role), soon('the end of the taint'));
  const { labels = {}, annotations = {} } = (await metadata()) ?? {};
  assert.deepEqual([labels[role], annotations.note, annotations.theirs], [undefined, undefined, 'y']);
  assert.ok((await taintKeys()).includes('theirs'));
});

test('a worker does with the rights of its kubelet what they allow, and cordons and drains itself', {
  skip,
}, async () => {
  const configuration = legacy('{ type: worker, nodeLabels: { zone: a }, nodeTaints: { own: NoSchedule } }');
  const node = await openNode('life-worker', { isControlPlane: false, configuration });
  await node.stage('running');
  await register('life-worker');
  runHollowKubelet('life-worker');
  await eventually(async () => (await node.status())?.nodeReady === true, soon('a ready node'));
  await eventually(async () => hasRow((await node.status())?.labels, 'zone', 'a'), soon('the label'));
  // Kubelets may not change the taints of their own node.
  assert.ok(!(await node.read()).spec?.taints?.some(({ key }) => key === 'own'));

  await run('create', 'deployment', 'web', '--image=example.invalid/web', '--replicas=2');
  await run('create', 'poddisruptionbudget', 'web', '--selector=app=web', '--min-available=1');
  const podsHere = async () =>
    (await openKubeNodes({ api, signal }).podsOn('life-worker')).filter((pod) =>
      hasRow(pod.metadata?.labels, 'app', 'web'),
    );
  const areRunning = async () => {
    const pods = await podsHere();
    return pods.length === 2 && pods.every(({ status }) => status?.phase === 'Running');
  };
  await eventually(areRunning, soon('the pods of the deployment'));

  await node.stage('shutting down');
  const drained = node.topic.drain(signal);
  await eventually(async () => (await node.status())?.unschedulable === true, soon('the cordon'));
  assert.ok(hasRow((await node.read()).metadata?.annotations, 'talos.dev/cordoned', 'true'));
  // The budget needs one pod: the other may leave only when its successor is ready, which needs another node.
  await eventually(async () => (await podsHere()).length === 1, soon('the first pod to leave'));
  await register('life-other');
  runHollowKubelet('life-other');
  await drained;
  assert.deepEqual(await podsHere(), []);
  // Pods of DaemonSets stay.
  const left = await openKubeNodes({ api, signal }).podsOn('life-worker');
  assert.ok(left.some(({ metadata }) => metadata?.name?.startsWith('kube-proxy-')));

  await node.stage('booting');
  await eventually(async () => (await node.status())?.unschedulable === false, soon('the end of the cordon'));
});

test('the checks of talosctl health read what Kubernetes says', { skip }, async () => {
  const view = openKubernetesView(api, signal);
  const facts = { components: ['kube-apiserver'], hasNetwork: true };
  const nodes = { controlPlanes: ['life-cp'], workers: ['life-worker', 'life-other'] };
  for (const { metadata } of await view.list())
    if (metadata?.name?.startsWith('conform-')) await run('delete', 'node', metadata.name);
  assert.deepEqual(await nodesReport(view, { nodes, ...facts }), { kind: 'ok' });
  await assert.rejects(nodesReady(view, { nodes, ...facts }), {
    message: /^nodes are not ready: life-cp \(/,
  });
  assert.deepEqual(await nodesSchedulable(view, { nodes, ...facts }), { kind: 'ok' });
  await run('cordon', 'life-other');
  await assert.rejects(nodesSchedulable(view, { nodes, ...facts }), { message: /cordoned: life-other;/ });
  runHollowKubelet('life-cp');
  let latest = '';
  const passes = (check: KubeletCheck) => async () => {
    const outcome = await check(view, { nodes, ...facts }).catch((error: Error) => error.message);
    latest = JSON.stringify(outcome);
    return typeof outcome !== 'string' && outcome.kind === 'ok';
  };
  const explain = () => latest;
  await eventually(passes(nodesReady), { ...soon('the last node'), explain });
  await eventually(passes(proxyReady), { ...soon('the pods of kube-proxy'), explain });
  const [dns] = await view.workloads('deployments', 'k8s-app=kube-dns');
  assert.deepEqual([dns?.name, dns?.wanted], ['coredns', 2]);
});

/** Creates the Node object as a kubelet does. */
async function register(name: string): Promise<void> {
  const path = join(cluster.home, `${name}.json`);
  const metadata = { name, labels: { 'kubernetes.io/os': 'linux' } };
  await writeFile(path, JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata }));
  await run('create', '-f', path);
}
