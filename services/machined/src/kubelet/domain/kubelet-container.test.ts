import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubeletContainer } from './kubelet-container.ts';
import { staticPodsOf } from './reported-pods.ts';

const spec = {
  image: 'ghcr.io/siderolabs/kubelet:v1.37.1',
  args: ['--config=/etc/kubernetes/kubelet.yaml'],
  extraMounts: [],
  expectedNodename: 'node01',
  config: {},
  credentialProviderConfig: {},
};

test('the container of the kubelet sees the node, may do what machined may, and shares the mounts of pods', () => {
  const { mounts = [], ...container } = kubeletContainer({
    spec,
    capabilities: ['CAP_SYS_ADMIN'],
    exists: () => true,
  });
  assert.deepEqual(container, {
    id: 'kubelet',
    image: spec.image,
    command: ['/usr/local/bin/kubelet', '--config=/etc/kubernetes/kubelet.yaml'],
    network: 'host',
    processes: 'host',
    devices: 'host',
    // Where it makes the paths of hostPath volumes that do not exist yet.
    readOnlyRoot: false,
    capabilities: ['CAP_SYS_ADMIN'],
    oomScoreAdjust: -450,
    cgroup: 'podruntime/kubelet',
  });
  const shared = mounts.filter((mount) => mount.kind === 'bind' && mount.propagation === 'shared');
  assert.deepEqual(
    shared.map(({ target }) => target),
    ['/var/lib/kubelet'],
  );
  const readOnly = mounts.flatMap((mount) => (mount.kind === 'bind' && mount.readOnly ? [mount.target] : []));
  assert.deepEqual(readOnly, [
    ...['/lib/modules', '/etc/cni', '/etc/machine-id', '/etc/os-release', '/etc/resolv.conf', '/etc/hosts'],
    ...['/etc/ssl/certs', '/system/resolved', '/usr/local/lib/kubelet/credentialproviders'],
  ]);
});

test('mounts of the user come last, with the access and the propagation that they name', () => {
  const mount = (options: string[]) => ({
    ...{ destination: '/data', type: 'bind', source: '/var/data', options, uidmappings: [], gidmappings: [] },
  });
  const last = (options: string[]) =>
    kubeletContainer({
      spec: { ...spec, extraMounts: [mount(options)] },
      capabilities: [],
      exists: () => false,
    }).mounts?.at(-1);
  const plain = { kind: 'bind', source: '/var/data', target: '/data' };
  assert.deepEqual(last(['bind', 'rw']), { ...plain, readOnly: false });
  assert.deepEqual(last(['bind', 'ro', 'rshared']), { ...plain, readOnly: true, propagation: 'shared' });
  assert.deepEqual(last(['rslave']), { ...plain, readOnly: false, propagation: 'slave' });
});

test('staticPodsOf() keeps pods from files and URLs, with their status', () => {
  const pod = (name: string, source: string, ready: string) => ({
    metadata: { name, namespace: 'kube-system', annotations: { 'kubernetes.io/config.source': source } },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] },
  });
  const pods = [pod('a', 'http', 'True'), pod('b', 'file', 'False'), pod('c', 'api', 'True'), {}];
  assert.deepEqual(
    staticPodsOf(pods).map(({ id, isReady }) => [id, isReady]),
    [
      ['kube-system/a', true],
      ['kube-system/b', false],
    ],
  );
});
