import assert from 'node:assert/strict';
import { existsSync, rmSync, watch } from 'node:fs';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { leaveSilentSocket } from '../testing/silent-socket.ts';
import { openTemporaryFolder } from '../testing/temporary-folder.ts';
import type { LockPlace } from './lock-entry.ts';
import { holdSocketLock } from './socket-lock.ts';

const describeSelf = () => ({ pid: process.pid });

/** Takes and releases the lock, and tells the name of its draft, which `onDraft` is told while it is there. */
async function takeOnce(place: LockPlace, onDraft: (path: string) => void) {
  let name = '';
  const watcher = watch(place.folder, (_event, entry) => {
    if (!entry?.endsWith('.draft')) return;
    name = entry;
    const path = join(place.folder, entry);
    if (existsSync(path)) onDraft(path);
  });
  try {
    const lock = await holdSocketLock(place, describeSelf);
    assert.ok(lock !== undefined);
    await lock[Symbol.asyncDispose]();
  } finally {
    watcher.close();
  }
  return name;
}

test('a process that removes the draft of another one between its steps does not make it fail', async () => {
  await using home = await openTemporaryFolder();
  const place: LockPlace = { folder: home.path, name: 'change' };
  let removed = 0;
  for (let round = 0; round < 50 && removed < 3; round++) {
    let isFirst = true;
    await takeOnce(place, (path) => {
      if (!isFirst) return;
      isFirst = false;
      rmSync(path);
      removed += 1;
    });
  }
  assert.ok(removed > 0, 'no draft was seen');
  assert.deepEqual(await readdir(home.path), []);
});

test('a silent draft may belong to a process that is about to listen, until it is old', async () => {
  await using home = await openTemporaryFolder();
  const place: LockPlace = { folder: home.path, name: 'change' };
  const name = await takeOnce(place, () => {});
  const path = join(home.path, name);
  await leaveSilentSocket(path);
  await takeOnce(place, () => {});
  assert.deepEqual(await readdir(home.path), [name]);
  const minuteAgo = new Date(Date.now() - 60_000);
  await utimes(path, minuteAgo, minuteAgo);
  await takeOnce(place, () => {});
  assert.deepEqual(await readdir(home.path), []);
});
