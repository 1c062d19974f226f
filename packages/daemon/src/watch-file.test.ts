import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchFile } from './watch-file.ts';

function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

async function withWatch(
  body: (given: { path: string; next: () => Promise<string | undefined>; folder: string }) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'watch-'));
  const controller = new AbortController();
  const path = join(folder, 'late', 'file.json');
  const watched = watchFile(path, { signal: controller.signal });
  const next = async () => {
    const { value } = await watched.next();
    return value === undefined ? undefined : Buffer.from(value).toString();
  };
  try {
    await body({ path, next, folder });
  } finally {
    controller.abort();
    await watched.return();
    rmSync(folder, { recursive: true });
  }
}

test('watchFile() tells what is there, then each replacement and the removal', async () => {
  await withWatch(async ({ path, next, folder }) => {
    mkdirSync(join(folder, 'late'));
    replace(path, 'one');
    const seen = [await next()];
    for (const text of ['two', 'three']) {
      const change = next();
      replace(path, text);
      seen.push(await change);
    }
    const removal = next();
    rmSync(path);
    seen.push(await removal);
    assert.deepEqual(seen, ['one', 'two', 'three', undefined]);
  });
});

test('watchFile() waits for a directory that does not exist yet', async () => {
  await withWatch(async ({ path, next, folder }) => {
    const first = await next();
    const second = next();
    mkdirSync(join(folder, 'late'));
    replace(path, 'here');
    assert.deepEqual([first, await second], [undefined, 'here']);
  });
});

test('watchFile() tells the newest content of many quick changes, and not twice', async () => {
  await withWatch(async ({ path, next, folder }) => {
    mkdirSync(join(folder, 'late'));
    replace(path, '0');
    await next();
    for (let count = 1; count <= 50; count += 1) replace(path, String(count));
    assert.equal(await next(), '50');
    const more = next();
    replace(path, '50');
    assert.equal(await Promise.race([more, sleep(100).then(() => 'nothing new')]), 'nothing new');
  });
});

test('watchFile() ends when it is told to', async () => {
  const controller = new AbortController();
  const watched = watchFile('/nowhere/at/all', { signal: controller.signal });
  await watched.next();
  const end = watched.next();
  controller.abort();
  assert.equal((await end).done, true);
});
