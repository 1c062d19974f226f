import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { readCpuFrequencies } from './read-cpu-frequencies.ts';

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

test('readCpuFrequencies() survives files with any content and returns numbers in range', () => {
  const root = mkdtempSync(join(tmpdir(), 'cpu-'));
  try {
    const folder = join(root, 'cpu0', 'cpufreq');
    mkdirSync(folder, { recursive: true });
    const names = ['cpuinfo_cur_freq', 'cpuinfo_min_freq', 'cpuinfo_max_freq', 'scaling_governor'];
    const content = fc.oneof(
      fc.bigInt(-1n, 2n ** 70n).map(String),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', '<unknown>\n', '1000000\n', '1e6', '0x10'),
    );
    fc.assert(
      fc.property(fc.array(content, { minLength: 4, maxLength: 4 }), (texts) => {
        for (const [index, name] of names.entries())
          writeFileSync(join(folder, name), texts[index] as string);
        const [frequency, ...others] = readCpuFrequencies(root);
        assert.equal(others.length, 0);
        if (frequency === undefined) return;
        const { currentKhz, minimumKhz, maximumKhz, governor } = frequency;
        assert.ok([currentKhz, minimumKhz, maximumKhz].every((khz) => khz >= 0n && khz < 2n ** 64n));
        assert.equal(typeof governor, 'string');
      }),
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});
