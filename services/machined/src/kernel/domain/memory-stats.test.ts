import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMeminfo } from '@nodewright/linux';
import { memoryStats } from '@nodewright/state/kinds';
import { memoryStatSpec } from './memory-stats.ts';

test("memoryStatSpec() uses the kernel's numbers, and computes the used memory from them", () => {
  const text =
    'MemTotal: 1000 kB\nMemFree: 300 kB\nActive(anon): 7 kB\nHugePages_Total: 2\nDirectMap2M: 5 kB\n';
  const spec = memoryStatSpec(parseMeminfo(text));
  const { total, used, activeAnon, hugePagesTotal, directMap2m, bounce } = spec;
  assert.deepEqual([total, used, activeAnon, hugePagesTotal, directMap2m, bounce], [1000, 700, 7, 2, 5, 0]);
  assert.deepEqual(Object.keys(spec).sort(), Object.keys(memoryStats.codec.fields ?? {}).sort());
});
