// The benchmark takes minutes, so its calculations are tested here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { childrenCpuMs } from '../bench/children-cpu.ts';
import { costOf, measurePairs } from '../bench/command-pairs.ts';
import { LatencyRecorder, percentile } from '../bench/measure/latency-recorder.ts';
import { cpuMsFromStat, readProcessCpuMs } from '../bench/measure/process-cpu.ts';
import { summarizeMemory } from '../bench/measure/track-memory.ts';
import { figuresOfRun, medianFigures } from '../bench/measure/unary-figures.ts';
import { parseBenchOptions } from '../bench/options.ts';
import { readPeakMemory, readProcessMemory } from '../bench/process-memory.ts';
import { renderTable } from '../bench/report/render-table.ts';
import { levelOf } from '../bench/watch-memory.ts';

test('percentile() uses the nearest rank', () => {
  const hundred = Float64Array.from({ length: 100 }, (_, index) => index + 1);
  const ranks = [0, 0.5, 0.99, 0.991, 1].map((fraction) => percentile(hundred, fraction));
  assert.deepEqual(ranks, [1, 50, 99, 100, 100]);
  assert.throws(() => percentile(new Float64Array(), 0.5), /no values/);
});

test('percentile() is the smallest value that at least the given share of values does not exceed', () => {
  const values = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(values, fc.double({ min: 0.01, max: 1, noNaN: true }), (list, fraction) => {
      const value = percentile(Float64Array.from(list).sort(), fraction);
      const wanted = Math.ceil(list.length * fraction);
      assert.ok(list.includes(value));
      assert.ok(list.filter((other) => other <= value).length >= wanted);
      assert.ok(list.filter((other) => other < value).length < wanted);
    }),
  );
});

test('LatencyRecorder keeps every sample, also beyond its initial capacity, and reports microseconds', () => {
  const recorder = new LatencyRecorder();
  for (let warmup = 0; warmup < 10; warmup += 1) recorder.record(1e9);
  recorder.clear();
  const count = 200_000;
  for (let sample = count; sample > 0; sample -= 1) recorder.record(sample / 1000);
  assert.equal(recorder.count, count);
  const { p50, p90, p99, max } = recorder.summary();
  assert.deepEqual([p50, p90, p99, max].map(Math.round), [100_000, 180_000, 198_000, 200_000]);
});

test('figuresOfRun() divides by time and by requests, for each group of processes', () => {
  const figures = figuresOfRun(
    {
      requests: 4000,
      durationMs: 2000,
      latency: { p50: 100, p90: 200, p99: 300, max: 400 },
      cpuMs: { 11: 100, 12: 60, 13: 400 },
      loadCpuMs: 500,
    },
    { gateways: [11, 12], machined: [13] },
  );
  assert.deepEqual(figures, {
    requestsPerSecond: 2000,
    p50: 100,
    p99: 300,
    cpu: { gateways: 40, machined: 100 },
    loadPercent: 25,
  });
});

test('medianFigures() takes the median of each figure separately', () => {
  const run = (rate: number, p50: number, gateways: number) => ({
    requestsPerSecond: rate,
    p50,
    p99: 2 * p50,
    cpu: { gateways },
    loadPercent: rate / 100,
  });
  assert.deepEqual(medianFigures([run(1000, 30, 7), run(3000, 10, 9), run(2000, 20, 8)]), run(2000, 20, 8));
  assert.deepEqual(medianFigures([run(1000, 10, 1), run(2000, 30, 2), run(9000, 20, 3)]), run(2000, 20, 2));
});

test('cpuMsFromStat() finds user and system time behind a program name with blanks and parentheses', () => {
  const line = '42 (a (b) c d) S 1 42 42 0 -1 4194560 900 0 3 0 150 25 7 8 20 0 11 0 12345 1000000 5000';
  assert.equal(cpuMsFromStat(line), 1750);
});

test('readProcessCpuMs() measures the processor time of this process', () => {
  const [before, usedBefore] = [readProcessCpuMs(process.pid), process.cpuUsage()];
  while (process.cpuUsage(usedBefore).user < 60_000);
  const spent = readProcessCpuMs(process.pid) - before;
  const { user, system } = process.cpuUsage(usedBefore);
  const known = (user + system) / 1000;
  // The kernel updates both values only at its clock ticks.
  assert.ok(Math.abs(spent - known) < 30, `${spent} ms, of which getrusage knows ${known} ms`);
});

/** Uses processor time, in microseconds. */
const burn = (micros: number) => `while (process.cpuUsage().user < ${micros});`;

test('costOf() measures the processor time of a command with that of its children, and refuses one that fails', () => {
  const before = childrenCpuMs();
  const { cpuMs, wallMs } = costOf(['sh', '-c', '"$0" -e "$1"; true', process.execPath, burn(200_000)]);
  assert.ok(cpuMs >= 200 && wallMs >= 200, `${cpuMs} ms, ${wallMs} ms`);
  assert.equal(Math.round(childrenCpuMs() - before), Math.round(cpuMs));
  assert.throws(() => costOf([process.execPath, '-e', 'process.exit(3)']), /ended with 3/);
});

test('measurePairs() compares the commands of each pair', () => {
  const idle = [process.execPath, '-e', '0'];
  const { ratio, ours, other } = measurePairs([process.execPath, '-e', burn(300_000)], idle, 3);
  assert.ok(ratio.cpuMs > 1 && ours.cpuMs > 300 && other.cpuMs > 0, JSON.stringify({ ratio, ours, other }));
});

test('readProcessMemory() and readPeakMemory() return megabytes and agree with the runtime', () => {
  const own = process.memoryUsage.rss() / 1e6;
  const { rss, pss, uss } = readProcessMemory(process.pid);
  assert.ok(Math.abs(rss - own) < 30, `${rss} against ${own}`);
  assert.ok(uss > 0 && uss <= pss && pss <= rss, `${uss}, ${pss}, ${rss}`);
  assert.ok(readPeakMemory(process.pid) >= rss * 0.95);
});

test('levelOf() gives the median of memory that rises and falls, and how far it does', () => {
  const readings = [52, 60, 66, 51, 58].map((rss) => ({ rss, pss: rss, uss: rss / 2 }));
  assert.deepEqual(levelOf(readings), { rss: 58, uss: 29, lowest: 51, highest: 66 });
  assert.throws(() => levelOf([]), /no values/);
});

test('summarizeMemory() distinguishes memory that levels off from memory that grows', () => {
  const samples = [50, 60, 90, 88, 91, 90, 70].map((rss, index) => ({ atMs: index * 10, rss }));
  assert.deepEqual(summarizeMemory(samples, 50), { before: 50, firstHalf: 90, secondHalf: 91, after: 70 });
  assert.deepEqual(summarizeMemory(samples.slice(0, 1), 5), {
    before: 50,
    firstHalf: 50,
    secondHalf: 50,
    after: 50,
  });
});

test('parseBenchOptions() reads its flags and rejects invalid values', () => {
  const { sections, measureMs, repeats, out } = parseBenchOptions([
    ...['--seconds', '1.5', '--repeats', '5', '--only', 'stream,unary', '--out', 'x.json'],
  ]);
  assert.deepEqual(
    { sections, measureMs, repeats, out },
    { sections: ['stream', 'unary'], measureMs: 1500, repeats: 5, out: 'x.json' },
  );
  assert.equal(parseBenchOptions(['--quick']).repeats, 1);
  for (const [flag, value] of [
    ['--seconds', '0'],
    ['--seconds', 'many'],
    ['--repeats', '1.5'],
    ['--only', 'everything'],
  ] as const) {
    assert.throws(
      () => parseBenchOptions([flag, value]),
      new RegExp(`^Error: ${flag} .*"${value.replace('.', '\\.')}"`),
    );
  }
  assert.throws(() => parseBenchOptions(['--slow']), /--slow/);
});

test('renderTable() aligns cells under headings of different heights', () => {
  const table = renderTable({
    heads: ['who', 'requests\n/s', 'p50'],
    rows: [
      ['apid', '1200', '3'],
      ['nghttpx', '9', '12.5'],
    ],
  });
  assert.equal(
    table,
    [
      '          requests',
      'who             /s    p50',
      '-------------------------',
      'apid          1200      3',
      'nghttpx          9   12.5',
      '',
    ].join('\n'),
  );
});
