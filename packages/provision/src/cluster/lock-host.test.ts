import assert from 'node:assert/strict';
import { link, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryFolder } from '../testing/temporary-folder.ts';
import type { LockPlace } from './lock-entry.ts';
import { lockHostFrom, readLockHost } from './lock-host.ts';
import { holdSocketLock } from './socket-lock.ts';

const facts = { bootId: 'b1\n', machineId: 'm1\n', hostname: 'east' };
const describeSelf = () => ({ pid: process.pid });

/** The lock that a process on this host leaves when it is killed, as its folder on a shared file system has it. */
async function leaveLock(place: LockPlace, host = facts): Promise<string> {
  const lock = await holdSocketLock(place, describeSelf, lockHostFrom(host));
  const [entry = ''] = await readdir(place.folder);
  const path = join(place.folder, entry);
  await link(path, `${path}.left`);
  await lock?.[Symbol.asyncDispose]();
  await rename(`${path}.left`, path);
  return path;
}

test('the lock of another host, which cannot be asked, is kept and named', async () => {
  await using home = await openTemporaryFolder();
  const place: LockPlace = { folder: home.path, name: 'supervisor' };
  const path = await leaveLock(place);
  const other = lockHostFrom({ bootId: 'b2\n', machineId: 'm1\n', hostname: 'west' });
  await assert.rejects(holdSocketLock(place, describeSelf, other), {
    kind: 'failed-precondition',
    message: `${path} is the lock of a process of another host, which cannot be asked from here: end that process, or remove the file if it has ended`,
  });
  assert.deepEqual(await readdir(home.path), [path.slice(home.path.length + 1)]);
  await rm(path);
  await using lock = await holdSocketLock(place, describeSelf, other);
  assert.ok(lock !== undefined);
});

test('the silent lock of this host goes, also that of an earlier boot, and that of a container of this kernel', async () => {
  for (const later of [
    facts,
    { ...facts, bootId: 'b2' },
    { ...facts, machineId: '', hostname: 'container' },
  ]) {
    await using home = await openTemporaryFolder();
    const place: LockPlace = { folder: home.path, name: 'change' };
    const path = await leaveLock(place);
    await using lock = await holdSocketLock(place, describeSelf, lockHostFrom(later));
    assert.ok(lock !== undefined);
    assert.ok(!(await readdir(home.path)).includes(path.slice(home.path.length + 1)));
  }
});

test('readLockHost() tells this host the same each time', async () => {
  const host = await readLockHost();
  assert.deepEqual(host, await readLockHost());
  assert.match(`${host.host} ${host.boot}`, /^[0-9a-f]{8} [0-9a-f]{8}$/);
});
