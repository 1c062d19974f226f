import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { kubernetesVariable } from '../domain/daemon-environment.ts';
import { kubernetesPrograms } from '../domain/kubernetes-programs.ts';
import { openTemporaryFolder } from '../testing/temporary-folder.ts';
import { checkKubernetes } from './check-kubernetes.ts';
import { findKubernetes, requireKubernetes } from './find-kubernetes.ts';

function putPrograms(folder: string, names: readonly string[] = kubernetesPrograms): string {
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, name), '');
  return folder;
}

test('findKubernetes() finds the programs next to the bundles, or where the environment says', async () => {
  await using folder = await openTemporaryFolder();
  const dist = join(folder.path, 'dist');
  assert.equal(findKubernetes(dist, {}), undefined);
  const built = putPrograms(join(folder.path, 'tools', 'kubernetes'));
  assert.equal(findKubernetes(dist, {}), built);
  const other = putPrograms(join(folder.path, 'other'));
  assert.equal(findKubernetes(dist, { [kubernetesVariable]: other }), other);
});

test('findKubernetes() takes no folder that lacks a program, and names what a given folder lacks', async () => {
  await using folder = await openTemporaryFolder();
  const dist = join(folder.path, 'dist');
  const part = putPrograms(join(folder.path, 'tools', 'kubernetes'), kubernetesPrograms.slice(1));
  assert.equal(findKubernetes(dist, {}), undefined);
  assert.throws(() => findKubernetes(dist, { [kubernetesVariable]: part }), {
    kind: 'failed-precondition',
    message: `${kubernetesVariable} is ${part}, which lacks kube-apiserver`,
  });
  assert.throws(() => requireKubernetes(dist, {}), {
    kind: 'failed-precondition',
    message: /make kubernetes/,
  });
});

test('checkKubernetes() refuses a cluster whose programs are missing', async () => {
  const shape = { controlPlanes: 1, workers: 0 };
  const etcd = { etcd: '/etcd', etcdutl: '/etcdutl' };
  const refused = (message: RegExp) => ({ kind: 'failed-precondition', message });
  await assert.rejects(checkKubernetes(shape, { kubernetes: undefined, etcd }), refused(/make kubernetes/));
  await assert.rejects(checkKubernetes(shape, { kubernetes: '/k', etcd: undefined }), refused(/make etcd/));
});

test('checkKubernetes() refuses a cluster that needs more memory than any machine has', async () => {
  const programs = { kubernetes: '/k', etcd: { etcd: '/etcd', etcdutl: '/etcdutl' } };
  const shape = { controlPlanes: 1_000_000, workers: 0 };
  await assert.rejects(checkKubernetes(shape, programs), {
    kind: 'resource-exhausted',
    message: /MiB are available/,
  });
});
