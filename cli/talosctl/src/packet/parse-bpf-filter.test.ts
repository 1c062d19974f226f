import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBpfFilter } from './parse-bpf-filter.ts';

test('parseBpfFilter() reads the output of tcpdump -dd', () => {
  const text =
    '{ 0x28, 0, 0, 0x0000000c },\n{ 0x15, 0, 1, 0x00000800 },\n{ 0x6, 0, 0, 0x00040000 },\n{ 0x6, 0, 0, 0x00000000 },\n';
  assert.deepEqual(parseBpfFilter(text), [
    { op: 0x28, jt: 0, jf: 0, k: 12 },
    { op: 0x15, jt: 0, jf: 1, k: 0x800 },
    { op: 6, jt: 0, jf: 0, k: 262_144 },
    { op: 6, jt: 0, jf: 0, k: 0 },
  ]);
  assert.deepEqual(parseBpfFilter('{6,0,0,4294967295}'), [{ op: 6, jt: 0, jf: 0, k: 4_294_967_295 }]);
  assert.deepEqual(parseBpfFilter('\n'), []);
});

test('parseBpfFilter() quotes a line that is not an instruction', () => {
  for (const line of [
    'tcp and port 80',
    '{ 1, 2, 3 }',
    '{ 0x28, 256, 0, 0 }',
    '{ 0x10000, 0, 0, 0 }',
    '{ 6, 0, 0, 4294967296 }',
  ]) {
    assert.throws(
      () => parseBpfFilter(`{ 0x6, 0, 0, 0 },\n${line}`),
      (error) =>
        error instanceof Error && error.message.startsWith(`${JSON.stringify(line)} is no instruction`),
    );
  }
});
