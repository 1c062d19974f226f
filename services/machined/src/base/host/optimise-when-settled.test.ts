import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { optimiseWhenSettled } from './optimise-when-settled.ts';

/** A node whose services change when the test says so, and whose time passes when it says so. */
function startNode() {
  const listeners = new Set<() => void>();
  let pending: { readonly atMs: number; readonly action: () => void } | undefined;
  let nowMs = 0;
  const flags: string[] = [];
  const watch = optimiseWhenSettled(
    (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    {
      after(delayMs, action) {
        const timer = { atMs: nowMs + delayMs, action };
        pending = timer;
        return {
          [Symbol.dispose]() {
            if (pending === timer) pending = undefined;
          },
        };
      },
    },
    (flag) => flags.push(flag),
  );
  const pass = (ms: number) => {
    nowMs += ms;
    if (pending === undefined || pending.atMs > nowMs) return;
    const { action } = pending;
    pending = undefined;
    action();
  };
  const change = () => {
    for (const listener of listeners) listener();
  };
  return { watch, flags, listeners, pass, change };
}

test('optimiseWhenSettled waits until no service has changed for six seconds, and then no longer listens', () => {
  const { flags, listeners, pass, change } = startNode();
  for (let second = 0; second < 60; second += 1) {
    pass(5000);
    change();
  }
  pass(5999);
  assert.deepEqual(flags, []);
  pass(1);
  assert.equal(flags.length, 2);
  assert.equal(listeners.size, 0);
  pass(60_000);
  assert.equal(flags.length, 2);
});

test('optimiseWhenSettled does nothing after its end', () => {
  const { watch, flags, listeners, pass } = startNode();
  watch[Symbol.dispose]();
  pass(60_000);
  assert.deepEqual(flags, []);
  assert.equal(listeners.size, 0);
});

test('this Node.js knows the flags', () => {
  const { flags, pass } = startNode();
  pass(6000);
  const { status, stderr } = spawnSync(process.execPath, [...flags, '--eval', '0'], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
});
