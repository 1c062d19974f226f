import assert from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTemporaryFolder } from '../testing/temporary-folder.ts';
import { clusterFolder } from './cluster-folder.ts';
import { awaitFolderEnd, openFolderAnchor } from './folder-anchor.ts';
import { writePrivateFile } from './write-private-file.ts';

async function openAnchored() {
  const scope = new AsyncDisposableStack();
  const home = scope.use(await openTemporaryFolder());
  const folder = clusterFolder(join(home.path, 'c'));
  await mkdir(folder.path);
  await writeFile(folder.state, 'phase: created\n');
  const anchor = scope.use(await openFolderAnchor(folder));
  const end = (emptyLooks: number, signal = new AbortController().signal) =>
    awaitFolderEnd(anchor, { everyMs: 1, emptyLooks, unreadableLooks: 2, signal });
  return { home: home.path, folder, anchor, end, [Symbol.asyncDispose]: () => scope.disposeAsync() };
}

test('a folder whose state was written anew is in its place, and is not taken for removed when it is moved', async () => {
  await using kept = await openAnchored();
  assert.deepEqual(await kept.anchor.look(), { kind: 'found' });
  await writePrivateFile(kept.folder.state, 'phase: creating\n');
  assert.deepEqual(await kept.anchor.look(), { kind: 'found' });
  await writePrivateFile(kept.folder.state, 'phase: created\n');
  const moved = join(kept.home, 'moved');
  await rename(kept.folder.path, moved);
  assert.deepEqual(await kept.end(0), { kind: 'lost', reason: `the folder was moved to ${moved}` });
});

test('a removed folder is told from a moved one, also after a copy took its place', async () => {
  await using kept = await openAnchored();
  await kept.anchor.look();
  await rename(kept.folder.path, join(kept.home, 'first'));
  await mkdir(kept.folder.path);
  await writeFile(kept.folder.state, 'phase: created\n');
  assert.deepEqual(await kept.anchor.look(), { kind: 'found' });
  // The folder that was moved away does not count any more.
  await rm(join(kept.home, 'first'), { recursive: true });
  assert.deepEqual(await kept.anchor.look(), { kind: 'found' });
  await rm(kept.folder.path, { recursive: true });
  assert.deepEqual(await kept.end(0), { kind: 'removed' });
});

test('a folder whose removal stops after its state was deleted is not taken for removed', async () => {
  await using kept = await openAnchored();
  await kept.anchor.look();
  await rm(kept.folder.state);
  const reason = 'the folder is in its place, but has no state.yaml';
  assert.deepEqual(await kept.end(3), { kind: 'emptied', reason });
  // While the removal goes on, it is waited for.
  const ending = kept.end(Number.POSITIVE_INFINITY);
  await rm(kept.folder.path, { recursive: true });
  assert.deepEqual(await ending, { kind: 'removed' });
});

test('a folder that cannot be read for a moment is kept, and one that stays so ends with the reason', async () => {
  const signal = new AbortController().signal;
  const unreadable = { kind: 'unreadable', error: 'EMFILE' } as const;
  const found = { kind: 'found' } as const;
  const looks = [unreadable, unreadable, found, unreadable, unreadable, unreadable, found];
  const anchor = {
    look: async () => looks.shift() ?? found,
    [Symbol.asyncDispose]: async () => {},
  };
  const fate = await awaitFolderEnd(anchor, { everyMs: 1, emptyLooks: 0, unreadableLooks: 2, signal });
  assert.deepEqual(fate, { kind: 'unreadable', reason: 'the folder cannot be read: EMFILE' });
  assert.equal(looks.length, 1);
});
