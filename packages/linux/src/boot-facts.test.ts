import assert from 'node:assert/strict';
import { hostname, uptime } from 'node:os';
import { test } from 'node:test';
import { parseUptime, readBootId, readKernelHostname } from './boot-facts.ts';
import { openKernelFile } from './kernel-file.ts';
import { pageSizeFromAuxv, readPageSizeBytes } from './page-size.ts';

test('parseUptime() agrees with the operating system', () => {
  using file = openKernelFile('/proc/uptime');
  assert.ok(Math.abs(parseUptime(file.readText()) - uptime()) < 2);
  assert.throws(() => parseUptime('soon'), { kind: 'internal' });
});

test('readKernelHostname() and readBootId() read this kernel', () => {
  assert.equal(readKernelHostname(), hostname());
  assert.match(readBootId(), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

test('pageSizeFromAuxv() finds the entry in either byte order, and none in a vector without it', () => {
  for (const byteOrder of ['LE', 'BE'] as const) {
    const vector = new DataView(new ArrayBuffer(48));
    const words = [16n, 1n, 6n, 65536n, 0n, 0n];
    for (const [index, word] of words.entries()) vector.setBigUint64(index * 8, word, byteOrder === 'LE');
    assert.equal(pageSizeFromAuxv(new Uint8Array(vector.buffer), byteOrder), 65536);
    assert.equal(pageSizeFromAuxv(new Uint8Array(vector.buffer, 0, 16), byteOrder), undefined);
  }
});

test('readPageSizeBytes() is a power of two of at least 4 KiB', () => {
  const size = readPageSizeBytes();
  assert.ok(size >= 4096 && Number.isInteger(Math.log2(size)), String(size));
});
