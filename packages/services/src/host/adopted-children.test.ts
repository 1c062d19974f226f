import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { loadNativeCalls, SystemCallError } from '@nodewright/linux';
import { AdoptedChildren } from './adopted-children.ts';

/** A process that reports these statuses, one at each look. */
const childrenWith = (...statuses: (number | undefined)[]) => {
  const statusOfChild = () => {
    if (statuses.length === 0) throw new SystemCallError('waitpid', 10);
    return statuses.shift();
  };
  return new AdoptedChildren(async () => ({ statusOfChild }));
};

test('exitCodeOf() returns the exit code, and 128 plus the number of a signal', async () => {
  assert.equal(await childrenWith(0).exitCodeOf(7, Promise.resolve()), 0);
  assert.equal(await childrenWith(undefined, undefined, 3 << 8).exitCodeOf(7, Promise.resolve()), 3);
  assert.equal(await childrenWith(9).exitCodeOf(7, Promise.resolve()), 137);
  // With a core dump.
  assert.equal(await childrenWith(0x80 | 6).exitCodeOf(7, Promise.resolve()), 134);
});

test('a process is awaited until its exit code was read, and has code 255 when another part has read it', async () => {
  const children = childrenWith();
  const signs = Promise.withResolvers<void>();
  const code = children.exitCodeOf(7, signs.promise);
  assert.deepEqual([children.isAwaited(7), children.isAwaited(8)], [true, false]);
  signs.resolve();
  assert.equal(await code, 255);
  assert.equal(children.isAwaited(7), false);
});

test('statusOfChild() reads the status of a child of this process once', async () => {
  const calls = await loadNativeCalls();
  const child = spawn('/bin/sh', ['-c', 'exec sleep 60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  // Node.js never sees its end.
  child.unref();
  const pid = child.pid ?? 0;
  assert.equal(calls.statusOfChild(pid), undefined);
  process.kill(pid, 'SIGKILL');
  // Node.js waits for its children in its event loop, which does not run until then.
  const end = performance.now() + 60_000;
  let status = calls.statusOfChild(pid);
  while (status === undefined && performance.now() < end) status = calls.statusOfChild(pid);
  assert.equal(status, 9);
  assert.throws(() => calls.statusOfChild(pid), { name: 'SystemCallError' });
});
