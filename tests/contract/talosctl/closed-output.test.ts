// Output that cannot be written is a failure; a reader that closes its pipe early is not.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { finished } from './run-talosctl.ts';
import { openSuite } from './suite.ts';

const suite = openSuite();
let wrapper: string | undefined;

/** `bin/talosctl` in a checkout with the bundle under test: only from a shell can descriptors be closed. */
function makeWrapper(): string {
  const checkout = join(suite.cluster.folder, 'checkout');
  const repository = join(import.meta.dirname, '../../..');
  for (const folder of ['bin', '_out/dist/talosctl']) mkdirSync(join(checkout, folder), { recursive: true });
  const path = join(checkout, 'bin/talosctl');
  copyFileSync(join(repository, 'bin/talosctl'), path);
  symlinkSync(join(repository, 'node_modules'), join(checkout, 'node_modules'));
  symlinkSync(suite.talosctl.bundle, join(checkout, '_out/dist/talosctl/talosctl.cjs'));
  return path;
}

function run(words: string) {
  wrapper ??= makeWrapper();
  const child = spawn('sh', ['-c', `"$0" ${words}`, wrapper], {
    env: { PATH: process.env.PATH, HOME: suite.talosctl.home, TALOSCONFIG: suite.talosconfig },
  });
  return finished(child);
}

const answering = ['-n node01 memory', 'version --client', 'config contexts -o json', '--help'];

test('a closed output fails a command that has an answer', async () => {
  const stderr = 'error: the output cannot be written: it is closed\n';
  for (const words of answering) {
    assert.deepEqual(await run(`${words} >&-`), { stdout: '', stderr, exitCode: 1 }, words);
  }
});

test('a full disk under the output fails a command that has an answer', async () => {
  const stderr = 'error: the output cannot be written: no space left on device\n';
  for (const words of answering) {
    assert.deepEqual(await run(`${words} >/dev/full`), { stdout: '', stderr, exitCode: 1 }, words);
  }
});

test('an output that is not used may be closed or full, and /dev/null accepts everything', async () => {
  const silent = { stdout: '', stderr: '', exitCode: 0 };
  for (const words of [
    'config node node01 node02 >&-',
    'config node node01 node02 >/dev/full',
    'version --client >/dev/null',
  ]) {
    assert.deepEqual(await run(words), silent, words);
  }
});

test('a reader that takes one line and closes the pipe is no failure', async () => {
  const { stdout, stderr } = await run('completion bash | head -1');
  assert.deepEqual([stdout.split('\n').length, stderr], [2, '']);
});
