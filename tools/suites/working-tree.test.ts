import assert from 'node:assert/strict';
import { mkdtempDisposableSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findChangedFiles } from '../changed/changed-files.ts';
import { changedBetween, git, listFiles, readWorkingTree } from './working-tree.ts';

/** A checkout with one commit of the files `a`, `b` and `.gitignore`, which ignores `ignored`. */
function openCheckout() {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'checkout-'));
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  const commit = () => {
    git(folder.path, 'add', '--all');
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
    git(folder.path, ...identity, 'commit', '--quiet', '--message', 'c');
  };
  git(folder.path, 'init', '--quiet', '--initial-branch', 'main');
  for (const name of ['a', 'b']) write(name, name);
  write('.gitignore', 'ignored\n');
  commit();
  return { path: folder.path, write, commit, [Symbol.dispose]: () => folder.remove() };
}

test('readWorkingTree() identifies the files as they are, with new ones and without ignored ones', () => {
  using checkout = openCheckout();
  const before = readWorkingTree(checkout.path);
  assert.equal(before?.clean, true);
  checkout.write('ignored', '1');
  assert.deepEqual(readWorkingTree(checkout.path), before);
  checkout.write('a', 'changed');
  checkout.write('new file', '1');
  rmSync(join(checkout.path, 'b'));
  const after = readWorkingTree(checkout.path);
  assert.equal(after?.clean, false);
  assert.deepEqual(changedBetween(checkout.path, before?.tree ?? '', after?.tree ?? ''), [
    'a',
    'b',
    'new file',
  ]);
  assert.deepEqual(listFiles(checkout.path), ['.gitignore', 'a', 'new file']);
  // Nothing is staged by that.
  assert.equal(git(checkout.path, 'diff', '--cached', '--name-only'), '');
});

test('readWorkingTree() and changedBetween() know nothing of what Git does not have', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'no-checkout-'));
  assert.equal(readWorkingTree(folder.path), undefined);
  using checkout = openCheckout();
  assert.equal(changedBetween(checkout.path, '0'.repeat(40), 'HEAD'), undefined);
});

test('findChangedFiles() takes what is not committed, else the last commit, or what differs from a base', () => {
  using checkout = openCheckout();
  checkout.write('a', 'second');
  checkout.commit();
  assert.deepEqual(findChangedFiles(checkout.path, '').files, ['a']);
  checkout.write('b', 'third');
  assert.deepEqual(findChangedFiles(checkout.path, '').files, ['b']);
  assert.deepEqual(findChangedFiles(checkout.path, 'HEAD~1').files, ['a', 'b']);
  assert.throws(() => findChangedFiles(checkout.path, 'no-such-branch'), /BASE=no-such-branch is no commit/);
});
