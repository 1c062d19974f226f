import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { generateConfig, generateSecrets } from '@nodewright/machine-config';
import { type KindRef, pointerTo, putResource } from '@nodewright/state';
import {
  kubeletSecrets,
  kubeletSpecs,
  kubernetesDynamicCerts,
  machineConfigs,
  machineTypes,
  nodeAddresses,
  nodeIps,
  nodenames,
  services,
  staticPodServerStatuses,
  staticPodStatuses,
  staticPods,
} from '@nodewright/state/kinds';
import { parse } from 'yaml';
import { podSettings } from '../../kubernetes/domain/pod-settings.ts';
import { PodProblems } from '../../kubernetes/host/pod-problems.ts';
import { kubeletControllers } from './kubelet-controllers.ts';
import type { PollKubelet } from './kubelet-static-pods.ts';

const secrets = await generateSecrets({ now: new Date(0) });
const configuration = generateConfig({
  ...{ secrets, clusterName: 'alpha', endpoint: 'https://10.5.0.1:6443', type: 'controlplane' },
  options: { kubernetesVersion: '1.37.1' },
});

async function openNode(poll: PollKubelet = async () => []) {
  const problems = new PodProblems();
  const runtime = openTestRuntime({
    nowMs: Date.now(),
    controllers: kubeletControllers({ limitsPods: true, poll, problems }),
  });
  const { state } = runtime;
  const put = async <S>(kind: KindRef<S>, id: string, spec: NoInfer<S>) => {
    await putResource(state, { ...pointerTo(kind, id), spec });
    await runtime.settled();
  };
  return {
    ...{ put, problems },
    async spec<S>(kind: KindRef<S>, id: string): Promise<S | undefined> {
      await runtime.settled();
      return (await state.list(kind)).find(({ metadata }) => metadata.id === id)?.spec;
    },
    ids: async (kind: KindRef) => (await state.list(kind)).map(({ metadata }) => metadata.id).sort(),
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}

test('the spec of the kubelet follows from configuration, name and addresses, and from nothing less', async () => {
  await using node = await openNode();
  await node.put(machineConfigs, 'v1alpha1', configuration);
  await node.put(machineTypes, 'machine-type', 'controlplane');
  await node.put(nodenames, 'nodename', {
    nodename: 'node01',
    hostnameVersion: '1',
    skipNodeRegistration: false,
  });
  assert.equal(await node.spec(kubeletSpecs, 'kubelet'), undefined);
  await node.put(nodeAddresses, 'routed-no-k8s', {
    addresses: ['10.5.0.2/24', '10.5.0.3/24'],
    sortAlgorithm: 'v1',
  });
  assert.deepEqual(await node.spec(nodeIps, 'kubelet'), { addresses: ['10.5.0.2'] });
  const spec = await node.spec(kubeletSpecs, 'kubelet');
  assert.equal(spec?.image, 'ghcr.io/siderolabs/kubelet:v1.37.1');
  assert.equal(spec.expectedNodename, 'node01');
  assert.ok(spec.args.includes('--node-ip=10.5.0.2'));
  assert.equal(
    spec.config.staticPodURL,
    (await node.spec(staticPodServerStatuses, 'static-pod-server-status'))?.url,
  );
  assert.equal((await node.spec(kubeletSecrets, 'kubelet'))?.endpoint, 'https://127.0.0.1:7445');
});

test('the server has every static pod, and none that was removed', async () => {
  await using node = await openNode();
  const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name } });
  await node.put(staticPods, 'a', { pod: pod('a') });
  await node.put(staticPods, 'b', { pod: pod('b') });
  const url = (await node.spec(staticPodServerStatuses, 'static-pod-server-status'))?.url ?? '';
  const list = parse(await (await fetch(url)).text());
  assert.deepEqual(list, { apiVersion: 'v1', kind: 'PodList', items: [pod('a'), pod('b')] });
});

test('the status of static pods is that of the kubelet while it runs', async () => {
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  let asked = 0;
  await using node = await openNode(async () => {
    asked += 1;
    const annotations = { 'kubernetes.io/config.source': 'http' };
    return [{ metadata: { name: 'a', namespace: 'kube-system', annotations }, status }];
  });
  const pair = { crt: 'certificate', key: 'key' };
  await node.put(kubernetesDynamicCerts, 'k8s-dynamic-certs', {
    ...{ apiServer: pair, apiServerKubeletClient: pair, frontProxy: pair },
  });
  assert.equal(asked, 0);
  await node.put(services, 'kubelet', { running: true, healthy: true, unknown: false });
  assert.deepEqual(await node.spec(staticPodStatuses, 'kube-system/a'), { podStatus: status });
  await node.put(services, 'kubelet', { running: false, healthy: false, unknown: true });
  assert.deepEqual(await node.ids(staticPodStatuses), []);
});

test('the status of the API server says why the kubelet is not given another one, or why that one failed', async () => {
  const annotations = { 'kubernetes.io/config.source': 'http' };
  const metadata = { name: 'kube-apiserver-a', namespace: 'kube-system', annotations };
  let ready = 'True';
  await using node = await openNode(async () => [
    { metadata, status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] } },
  ]);
  const pair = { crt: 'certificate', key: 'key' };
  await node.put(kubernetesDynamicCerts, 'k8s-dynamic-certs', {
    ...{ apiServer: pair, apiServerKubeletClient: pair, frontProxy: pair },
  });
  await node.put(services, 'kubelet', { running: true, healthy: true, unknown: false });
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'kube-apiserver' } };
  await node.put(staticPods, 'kube-apiserver', { pod });
  const conditions = async () =>
    (await node.spec(staticPodStatuses, 'kube-system/kube-apiserver-a'))?.podStatus.conditions;
  const report = async (kind: 'waits' | 'failed', reason: string) => {
    node.problems.report('kube-apiserver', podSettings(pod), { kind, reason });
    await new Promise(setImmediate);
  };
  await report('waits', 'node02 is not ready');
  assert.deepEqual(await conditions(), [
    { type: 'Ready', status: 'True' },
    {
      ...{ type: 'nodewright.dev/UpToDate', status: 'False' },
      ...{ reason: 'WaitsForOthers', message: 'node02 is not ready' },
    },
  ]);
  await report('failed', 'not ready after 120 s');
  assert.deepEqual(await conditions(), [{ type: 'Ready', status: 'True' }]);
  ready = 'False';
  await report('failed', 'not ready after 120 s');
  const why = { reason: 'ReplacementFailed', message: 'not ready after 120 s' };
  assert.deepEqual(await conditions(), [{ type: 'Ready', status: 'False', ...why }]);
});
