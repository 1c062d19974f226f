import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseUptime, readBootId, readKernelHostname } from './boot-facts.ts';
import { openKernelFile } from './kernel-file.ts';
import { pageSizeFromAuxv, readPageSizeBytes } from './page-size.ts';
import { readCpuFrequencies } from './read-cpu-frequencies.ts';

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

test('readCpuFrequencies() keeps lexical order, drops offline CPUs and leaves a hole for a CPU without a driver', () => {
  const root = mkdtempSync(join(tmpdir(), 'cpu-'));
  try {
    const write = (cpu: string, files: Record<string, string>) => {
      mkdirSync(join(root, cpu, 'cpufreq'), { recursive: true });
      for (const [name, text] of Object.entries(files)) writeFileSync(join(root, cpu, name), `${text}\n`);
    };
    const frequencies = (current: number) => ({
      'cpufreq/cpuinfo_cur_freq': String(current),
      'cpufreq/cpuinfo_min_freq': '800000',
      'cpufreq/cpuinfo_max_freq': '3600000',
      'cpufreq/scaling_governor': 'schedutil',
    });
    write('cpu0', frequencies(1000000));
    write('cpu2', { online: '0', ...frequencies(2000000) });
    write('cpu10', { online: '1', ...frequencies(3000000) });
    write('cpu1', { 'cpufreq/cpuinfo_min_freq': '800000' });
    write('cpufreq', {});
    const entry = (currentKhz: bigint) => ({
      currentKhz,
      minimumKhz: 800000n,
      maximumKhz: 3600000n,
      governor: 'schedutil',
    });
    assert.deepEqual(readCpuFrequencies(root), [entry(1000000n), undefined, entry(3000000n)]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
