import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createBootPartition } from './boot-partition.ts';

const folder = mkdtempSync(join(tmpdir(), 'boot-partition-'));
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
  const boot = createBootPartition({ calls, device: async () => device, slot: 'B', mountPoint });
  return { boot, done, mountPoint };
}

test('BOOT is mounted while it is read, and can be written to only while it is written', async () => {
  const { boot, done, mountPoint } = open();
  assert.equal(await boot.read(async (slot) => slot), join(mountPoint, 'B'));
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

test('what was written to BOOT is on the disk before more is written, when that is asked for', async () => {
  const { boot, done } = open();
  await boot.write(async (_slot, flush) => {
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

test('BOOT is read-only and detached again after a failure, and a machine without it says so', async () => {
  const { boot, done } = open();
  await assert.rejects(
    boot.write(() => Promise.reject(new Error('full'))),
    /full/,
  );
  assert.deepEqual(done.slice(-2), ['/dev/vda3 ro,nosuid,nodev,noexec,remount', 'detach']);
  const none = createBootPartition({
    ...{ calls: {} as never, device: async () => undefined, slot: 'A', mountPoint: join(folder, 'none') },
  });
  await assert.rejects(
    none.read(async () => 1),
    { kind: 'failed-precondition' },
  );
});
