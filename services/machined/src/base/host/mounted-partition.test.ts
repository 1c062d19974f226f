import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createMountedPartition } from './mounted-partition.ts';

const folder = mkdtempSync(join(tmpdir(), 'mounted-partition-'));
after(() => rmSync(folder, { recursive: true }));

function open(device: string | undefined = '/dev/vda3') {
  const done: string[] = [];
  const flagNames = { 1: 'ro', 2: 'nosuid', 4: 'nodev', 8: 'noexec', 32: 'remount' };
  const calls = {
    mount(source: Uint8Array, _target: Uint8Array, _type: Uint8Array, flags: number) {
      const names = Object.entries(flagNames).filter(([flag]) => (flags & Number(flag)) !== 0);
      done.push(`${Buffer.from(source).toString().replace('\0', '')} ${names.map(([, name]) => name)}`);
    },
    detachMount: () => void done.push('detach'),
  };
  const mountPoint = join(folder, 'boot');
  const boot = createMountedPartition({
    ...{ calls, device: async () => device, label: 'BOOT', fileSystem: 'ext4', mountPoint },
  });
  return { boot, done, mountPoint };
}

test('a partition is mounted while it is read, and can be written to only while it is written', async () => {
  const { boot, done, mountPoint } = open();
  assert.equal(await boot.read(async (found) => found), mountPoint);
  assert.deepEqual(done.splice(0), ['/dev/vda3 ro,nosuid,nodev,noexec', 'detach']);
  await boot.write(async () => void done.push('write'));
  assert.deepEqual(done, [
    '/dev/vda3 ro,nosuid,nodev,noexec',
    '/dev/vda3 nosuid,nodev,noexec,remount',
    'write',
    '/dev/vda3 ro,nosuid,nodev,noexec,remount',
    'detach',
  ]);
});

test('what was written is on the disk before more is written, when that is asked for', async () => {
  const { boot, done } = open();
  await boot.write(async (_folder, flush) => {
    done.push('write');
    flush();
    done.push('write more');
  });
  assert.deepEqual(done.slice(2, -2), [
    'write',
    '/dev/vda3 ro,nosuid,nodev,noexec,remount',
    '/dev/vda3 nosuid,nodev,noexec,remount',
    'write more',
  ]);
});

test('a partition can be read while it is written, and a second write waits for the first one', async () => {
  const { boot, done } = open();
  const [begun, first] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const writes = [
    boot.write(async () => {
      done.push('first');
      begun.resolve();
      await first.promise;
    }),
    boot.write(async () => void done.push('second')),
  ];
  await begun.promise;
  await boot.read(async () => void done.push('read'));
  assert.deepEqual(done.splice(0), [
    '/dev/vda3 ro,nosuid,nodev,noexec',
    '/dev/vda3 nosuid,nodev,noexec,remount',
    'first',
    'read',
  ]);
  first.resolve();
  await Promise.all(writes);
  assert.deepEqual(
    done.filter((line) => line === 'detach' || line === 'second'),
    ['detach', 'second', 'detach'],
  );
  assert.equal(done[0], '/dev/vda3 ro,nosuid,nodev,noexec,remount', 'read-only before the second one');
});

test('a partition is read-only and detached again after a failure, and a machine without it says so', async () => {
  const { boot, done } = open();
  await assert.rejects(
    boot.write(() => Promise.reject(new Error('full'))),
    /full/,
  );
  assert.deepEqual(done.slice(-2), ['/dev/vda3 ro,nosuid,nodev,noexec,remount', 'detach']);
  const none = createMountedPartition({
    ...{ calls: {} as never, device: async () => undefined, label: 'BOOT', fileSystem: 'ext4' },
    mountPoint: join(folder, 'none'),
  });
  for (const _ of [1, 2])
    await assert.rejects(
      none.read(async () => 1),
      { kind: 'failed-precondition', message: 'no disk has a partition BOOT' },
    );
});
