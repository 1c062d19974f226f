import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ContainerInfo, ContainerRuntime } from '@nodewright/containers';
import { Fault } from '@nodewright/fault';
import { OwnContainers, withOwnContainers } from './own-containers.ts';

const cgroupFolder = mkdtempSync(join(tmpdir(), 'own-containers-'));
writeFileSync(join(cgroupFolder, 'cpu.stat'), 'usage_usec 1500\nuser_usec 1000\n');
after(() => rmSync(cgroupFolder, { recursive: true }));

const etcd: ContainerInfo = {
  ...{ id: 'etcd', internalId: 'etcd', image: 'registry.example/etcd:v3', labels: {}, createdAtMs: 1 },
  task: { status: 'running', pid: 3 },
};

/** A runtime of which only the calls below are used. */
function runtimeWith(list: () => Promise<ContainerInfo[]>): { runtime: ContainerRuntime; killed: string[] } {
  const killed: string[] = [];
  const kill = async (id: string) => void killed.push(id);
  const namespace = (name: string) => ({ name, containers: { list, kill } });
  return { runtime: { name: 'containerd', namespace } as unknown as ContainerRuntime, killed };
}

test('the own containers of a node are in the namespace of its services while they run', async () => {
  const own = new OwnContainers();
  const { containers } = withOwnContainers(runtimeWith(async () => [etcd]).runtime, own).namespace('system');
  const shown = async () => (await containers.list()).map(({ id, image, task }) => [id, image, task?.status]);
  assert.deepEqual(await shown(), [['etcd', etcd.image, 'running']]);
  const watcher = own.watcherOf({ id: 'apid', image: 'nodewright/apid:v1', cgroupFolder });
  watcher.started(process.pid);
  assert.deepEqual(await shown(), [
    ['apid', 'nodewright/apid:v1', 'running'],
    ['etcd', etcd.image, 'running'],
  ]);
  watcher.ended();
  assert.deepEqual(await shown(), [['etcd', etcd.image, 'running']]);
});

test('the own containers are listed while the runtime does not answer, and other errors are passed on', async () => {
  const own = new OwnContainers();
  own.watcherOf({ id: 'apid', image: 'nodewright/apid:v1', cgroupFolder }).started(7);
  const failing = (kind: 'unavailable' | 'internal') =>
    withOwnContainers(runtimeWith(() => Promise.reject(new Fault(kind, 'no'))).runtime, own).namespace(
      'system',
    ).containers;
  assert.deepEqual(
    (await failing('unavailable').list()).map(({ id }) => id),
    ['apid'],
  );
  await assert.rejects(failing('internal').list(), { kind: 'internal' });
  const kubernetes = withOwnContainers(runtimeWith(async () => []).runtime, own).namespace('k8s.io');
  assert.deepEqual(await kubernetes.containers.list(), []);
});

test('a signal reaches the process of an own container, and others reach the runtime', async () => {
  const own = new OwnContainers();
  const { runtime, killed } = runtimeWith(async () => []);
  const { containers } = withOwnContainers(runtime, own).namespace('system');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  own.watcherOf({ id: 'apid', image: 'nodewright/apid:v1', cgroupFolder }).started(child.pid ?? 0);
  // Without the controller for memory.
  assert.deepEqual(await containers.stats('apid'), { memoryBytes: 0, cpuNanoseconds: 1_500_000n });
  writeFileSync(join(cgroupFolder, 'memory.current'), '4096\n');
  assert.deepEqual(await containers.stats('apid'), { memoryBytes: 4096, cpuNanoseconds: 1_500_000n });
  const exit = once(child, 'exit');
  await containers.kill('apid', 'SIGTERM');
  assert.equal((await exit)[1], 'SIGTERM');
  await assert.rejects(containers.kill('apid', 'SIGTERM'), { kind: 'failed-precondition' });
  await containers.kill('etcd', 'SIGTERM');
  assert.deepEqual(killed, ['etcd']);
});
