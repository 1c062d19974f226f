import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Timers } from '@nodewright/async';
import { createKernelConsoles } from './kernel-consoles.ts';

/** Pauses pass at once. */
const timers: Timers = {
  now: () => 0,
  monotonicMs: () => 0,
  after(_delayMs, action) {
    const immediate = setImmediate(action);
    return { [Symbol.dispose]: () => clearImmediate(immediate) };
  },
};

function consolesIn(t: TestContext, active: string, ...files: readonly string[]) {
  const devices = mkdtempSync(join(tmpdir(), 'consoles-'));
  t.after(() => rmSync(devices, { recursive: true }));
  const list = join(devices, 'active');
  writeFileSync(list, active);
  for (const file of files) writeFileSync(join(devices, file), '');
  return {
    devices,
    write: createKernelConsoles(timers, { list, devices }),
    shown: (name: string) => readFileSync(join(devices, name), 'utf8'),
  };
}

test('every console of the kernel gets the text, and no other device', async (t) => {
  const { write, shown } = consolesIn(t, 'tty0 ttyS0\n', 'tty0', 'ttyS0', 'sda');
  await write('address: 10.0.0.2\n');
  assert.deepEqual(['tty0', 'ttyS0', 'sda'].map(shown), ['address: 10.0.0.2\n', 'address: 10.0.0.2\n', '']);
});

test('a console that is gone or has a strange name keeps no other from the text', async (t) => {
  const { write, shown } = consolesIn(t, '../etc tty0 ttyS9', 'tty0');
  await assert.rejects(write('a'), { code: 'ENOENT' });
  assert.equal(shown('tty0'), 'a');
});

test('a console that takes nothing is given up', async (t) => {
  const { devices, write, shown } = consolesIn(t, 'ttyS0 tty0', 'tty0');
  execFileSync('mkfifo', [join(devices, 'ttyS0')]);
  // A reader that does not read: the pipe takes 64 KiB and no more.
  const { open } = await import('node:fs/promises');
  await using _reader = await open(join(devices, 'ttyS0'), 'r+');
  const text = 'x'.repeat(100_000);
  await assert.rejects(write(text), { code: 'EAGAIN' });
  assert.equal(shown('tty0'), text);
});
