// Programs crash below the driver: what it reports, and that it recovers.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { layoutArchive } from '@nodewright/containers/testing';
import { eventually } from '@nodewright/testkit';
import { type Bench, imageWith, keptBy, openBench, openRuntime } from './bench.ts';
import { mountsBelow, noContainerd } from './start-containerd.ts';

const options = { skip: noContainerd, timeout: 120_000 };
const image = 'registry.example/test/shell:v1';
const shell = (script: string) => ['/bin/sh', '-c', script];
const isAlive = (pid: number) => existsSync(`/proc/${pid}`);

async function openBenchWithImage(): Promise<Bench> {
  const bench = await openBench();
  const archive = await layoutArchive(await imageWith(), image);
  await bench.system.images.import(
    (async function* () {
      yield archive;
    })(),
  );
  return bench;
}

async function logOf({ system }: Bench, id: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of system.containers.logs(id, {})) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test(
  'a task that ends while containerd is down may be forgotten, but its output is kept',
  options,
  async () => {
    await using bench = await openBenchWithImage();
    const { containers } = bench.system;
    await containers.create({ id: 'away', image, command: shell('sleep 1; echo words; exit 9') });
    const pid = await containers.start('away');
    await bench.containerd.kill();
    await eventually(() => !isAlive(pid), { what: 'end of the task', timeoutMs: 60_000 });
    await bench.containerd.restart();
    const outcome = await containers.wait('away').then(
      ({ code }) => code,
      ({ kind }: { kind?: string }) => kind,
    );
    // containerd 1.7 treats a shim without a running process as one that was never used; 1.6 asks the shim.
    assert.ok(outcome === 'not-found' || outcome === 9, String(outcome));
    const { task } = await containers.get('away');
    assert.equal(task?.status, outcome === 9 ? 'stopped' : undefined);
    assert.equal(await logOf(bench, 'away'), 'words\n');
    await containers.start('away');
    assert.equal((await containers.wait('away')).code, 9);
    assert.equal(await logOf(bench, 'away'), 'words\nwords\n');
  },
);

test('a task whose shim is killed is gone, and can be started again', options, async () => {
  await using bench = await openBenchWithImage();
  const { containers } = bench.system;
  await containers.create({ id: 'orphan', image, command: shell('sleep 600') });
  const pid = await containers.start('orphan');
  const waiting = containers.wait('orphan').then(
    ({ code }) => code,
    (error: { kind?: string }) => error.kind,
  );
  for (const shim of bench.containerd.shims()) process.kill(shim, 'SIGKILL');
  assert.ok([137, 255, 'not-found'].includes((await waiting) ?? ''), String(await waiting));
  assert.notEqual((await containers.get('orphan')).task?.status, 'running');
  // containerd may still be cleaning up.
  const again = await containers.start('orphan');
  assert.ok(isAlive(again));
  await eventually(() => !isAlive(pid), { what: 'end of the first task', timeoutMs: 60_000 });
  await containers.remove('orphan', { force: true });
  assert.ok(!isAlive(again));
});

test(
  'an ended task keeps no process running, and its exit status survives a restart of containerd',
  options,
  async () => {
    await using bench = await openBenchWithImage();
    const { containers } = bench.system;
    await containers.create({ id: 'ended', image, command: shell('exit 3') });
    await containers.start('ended');
    const exit = await containers.wait('ended');
    await eventually(() => bench.containerd.shims().length === 0, {
      what: 'end of the shim',
      timeoutMs: 60_000,
    });
    assert.deepEqual((await containers.get('ended')).task, { status: 'stopped', exit });
    await bench.containerd.kill();
    await bench.containerd.restart();
    assert.deepEqual(await containers.wait('ended'), exit);
    await using other = openRuntime(bench.containerd);
    assert.deepEqual((await other.namespace('system').containers.list())[0]?.task, {
      status: 'stopped',
      exit,
    });
  },
);

test('create() takes over the file system of an interrupted creation', options, async () => {
  await using bench = await openBenchWithImage();
  const { containers } = bench.system;
  await bench.services.leases.create({ id: 'of-the-test' });
  await bench.services.snapshots.prepare({ snapshotter: 'overlayfs', key: 'cut' });
  const resource = { id: 'cut', type: 'snapshots/overlayfs' };
  await bench.services.leases.addResource({ id: 'of-the-test', resource });
  await containers.create({ id: 'cut', image, command: shell('echo whole') });
  await containers.start('cut');
  assert.equal((await containers.wait('cut')).code, 0);
  assert.equal(await logOf(bench, 'cut'), 'whole\n');
});

test('create() succeeds when a killed containerd has left the folder of a file system', options, async () => {
  await using bench = await openBenchWithImage();
  const { containers } = bench.system;
  const folder = join(bench.containerd.folder, 'root/io.containerd.snapshotter.v1.overlayfs/snapshots');
  // containerd numbers its folders: make the next numbers collide with folders that it has no record of.
  const last = Math.max(...readdirSync(folder).map(Number));
  for (const next of [1, 2, 3]) mkdirSync(join(folder, String(last + next), 'fs'), { recursive: true });
  await containers.create({ id: 'past', image, command: shell('exit 0') });
  await containers.start('past');
  assert.equal((await containers.wait('past')).code, 0);
  // The collision is real: containerd itself fails at the next folder.
  await assert.rejects(
    bench.services.snapshots.prepare({ snapshotter: 'overlayfs', key: 'of-the-test' }),
    /file exists/,
  );
});

test('many concurrent starts, exits and removals leave nothing behind', options, async () => {
  await using bench = await openBenchWithImage();
  const { containers } = bench.system;
  const ids = ['one', 'two', 'three', 'four'];
  // They run until they are killed: one that exited by itself between its two starts could be started twice.
  await Promise.all(ids.map((id) => containers.create({ id, image, command: shell('sleep 600') })));
  const starts = await Promise.allSettled(ids.flatMap((id) => [containers.start(id), containers.start(id)]));
  assert.equal(starts.filter(({ status }) => status === 'fulfilled').length, ids.length);
  const waits = ids.flatMap((id) => [containers.wait(id), containers.wait(id)]);
  const kills = ids.map((id) => containers.kill(id, 'SIGKILL'));
  const looks = Array.from({ length: 3 }, () => containers.list());
  const [ends] = await Promise.all([Promise.all(waits), ...kills, ...looks]);
  assert.deepEqual(new Set(ends.map(({ code }) => code)), new Set([137]));
  await Promise.all(ids.map((id) => containers.remove(id)));
  assert.deepEqual(await containers.list(), []);
  const { snapshots, leases } = await keptBy(bench.services);
  assert.deepEqual({ snapshots: snapshots.length, leases }, { snapshots: 1, leases: [] });
});

test("a test's containerd leaves nothing behind, whatever runs in it", options, async () => {
  const left = { folder: '', pid: 0, cgroupRoot: '' };
  {
    await using bench = await openBenchWithImage();
    const { containers } = bench.system;
    await containers.create({ id: 'runs', image, command: shell('sleep 600'), cgroup: 'some/group' });
    left.pid = await containers.start('runs');
    left.folder = bench.containerd.folder;
    left.cgroupRoot = bench.containerd.cgroupRoot;
    const group = join('/', left.cgroupRoot, 'some/group');
    assert.ok(readFileSync(`/proc/${left.pid}/cgroup`, 'utf8').includes(`:${group}\n`));
    assert.ok(mountsBelow(left.folder).length > 0);
  }
  assert.deepEqual(
    { alive: isAlive(left.pid), folder: existsSync(left.folder), mounts: mountsBelow(left.folder) },
    { alive: false, folder: false, mounts: [] },
  );
});
