import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerNames, isOfKubernetes, requireContainer, selectNamespace } from './container-selection.ts';
import { imageNamespace, imageNamespaceOf } from './image-selection.ts';

test('selectNamespace() returns the namespace or fails with the messages of Talos', () => {
  assert.equal(selectNamespace({ namespace: 'system', driver: 0 }, false), 'system');
  assert.equal(selectNamespace({ namespace: 'k8s.io', driver: 0 }, false), 'k8s.io');
  assert.equal(selectNamespace({ namespace: 'k8s.io', driver: 1 }, true), 'k8s.io');
  const refusals = [
    ['', 0, 'invalid-argument', "namespace can't be empty"],
    ['system', 7, 'invalid-argument', 'unsupported driver "7"'],
    ['system', 1, 'unknown', 'CRI inspector is supported only for K8s namespace'],
    ['k8s.io', 1, 'unavailable', 'this node does not run Kubernetes and has no CRI'],
    ['other', 0, 'not-found', 'namespace "other" does not exist: use "system" or "k8s.io"'],
  ] as const;
  for (const [namespace, driver, kind, message] of refusals)
    assert.throws(() => selectNamespace({ namespace, driver }, false), { kind, message });
});

test('isOfKubernetes() is true only for the CRI driver with the Kubernetes namespace', () => {
  const pairs = [
    ['k8s.io', 1, true],
    ['k8s.io', 0, false],
    ['system', 1, false],
    ['', 1, false],
  ] as const;
  for (const [namespace, driver, expected] of pairs)
    assert.equal(isOfKubernetes({ namespace, driver }), expected, `${namespace} ${driver}`);
});

test('containerNames() names Kubernetes containers after their pod, and others by their id', () => {
  const pod = { 'io.kubernetes.pod.namespace': 'kube-system', 'io.kubernetes.pod.name': 'dns-1' };
  const named = { ...pod, 'io.kubernetes.container.name': 'dns' };
  assert.deepEqual(containerNames({ id: 'etcd', labels: {} }), { id: 'etcd', podId: 'etcd', name: 'etcd' });
  const sandbox = 'kube-system/dns-1';
  assert.deepEqual(containerNames({ id: 'f00', labels: pod }), {
    id: sandbox,
    podId: sandbox,
    name: sandbox,
  });
  const container = { id: 'b00', labels: named };
  assert.deepEqual(containerNames(container), { id: `${sandbox}:dns`, podId: sandbox, name: 'dns' });
  const info = { ...container, internalId: 'b00', image: 'x', createdAtMs: 0 };
  assert.equal(requireContainer([info], `${sandbox}:dns`), info);
  assert.equal(requireContainer([info], 'b00'), info);
  assert.throws(() => requireContainer([info], 'dns'), {
    kind: 'unknown',
    message: 'container "dns" not found',
  });
});

test('imageNamespaceOf() accepts the combinations of the wire and refuses others', () => {
  assert.equal(imageNamespaceOf({ driver: 0, namespace: 1 }), 'system');
  assert.equal(imageNamespaceOf({ driver: 1, namespace: 2 }), 'k8s.io');
  assert.equal(imageNamespace(1), 'system');
  const refusals = [
    [undefined, 'containerd instance is required'],
    [{ driver: 0, namespace: 2 }, 'cannot use CRI namespace with containerd driver'],
    [{ driver: 0, namespace: 0 }, 'unsupported namespace "0"'],
    [{ driver: 5, namespace: 1 }, 'unsupported driver "5"'],
  ] as const;
  for (const [instance, message] of refusals)
    assert.throws(() => imageNamespaceOf(instance), { kind: 'invalid-argument', message });
});
