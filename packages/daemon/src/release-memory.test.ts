import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadNativeCalls } from './native-calls.ts';

const residentMb = () =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1000;

test('giveBackFreeMemory() gives back what lies free below what is in use', async () => {
  const calls = await loadNativeCalls();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'major' }) => void;
  // Small enough not to be mapped on their own; the last one keeps the C library from shrinking its heap by itself.
  const blocks: (Buffer | undefined)[] = Array.from({ length: 600 }, () => Buffer.alloc(100_000, 1));
  blocks.fill(undefined, 0, -1);
  collect({ type: 'major' });
  collect({ type: 'major' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const before = residentMb();
  calls.giveBackFreeMemory();
  const after = residentMb();
  assert.ok(before - after > 20, `${before} MB before, ${after} MB after`);
  assert.equal(blocks.at(-1)?.at(-1), 1);
});
