import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CPUStat } from '@nodewright/contract/gen/machine/machine.ts';
import { afterEvents, sampleAt, sampleModel } from '../testing/sample-model.ts';
import { emptyLog, kernelLine, lineUrgency, serviceLine, withLines } from './log.ts';
import { shownNode } from './model.ts';
import { cpuUsage, diskRates, networkRates, processUsages, ratePerSecond } from './sample.ts';

test('cpuUsage() is the share between two samples, and unknown after a reboot', () => {
  const stat = (user: number, idle: number) => CPUStat.fromPartial({ user, idle, system: user / 2 });
  const usage = cpuUsage(stat(40, 200), stat(20, 170));
  assert.deepEqual(usage && [usage.total, usage.user, usage.system, usage.waiting], [
    0.5,
    20 / 60,
    10 / 60,
    0,
  ]);
  assert.equal(cpuUsage(stat(1, 1), stat(20, 170)), undefined);
  assert.equal(cpuUsage(stat(1, 1), undefined), undefined);
});

test('ratePerSecond() is unknown when the counter was reset', () => {
  assert.deepEqual(
    [ratePerSecond(300n, 0n, 3000), ratePerSecond(1n, 5n, 3000), ratePerSecond(1n, undefined, 1)],
    [100, undefined, undefined],
  );
});

test('rates of devices and processes come busiest first, without idle disks', () => {
  const [now, before] = [sampleAt(2), sampleAt(1)];
  assert.deepEqual(
    networkRates(now, before).map(({ name, inRate, errors }) => [name, inRate, errors]),
    [
      ['eth0', 2_000_000, 7],
      ['lo', 0, 0],
    ],
  );
  assert.deepEqual(
    diskRates(now, before).map(({ name, busy }) => [name, busy]),
    [['vda', 0.95]],
  );
  assert.deepEqual(
    processUsages(now, before, 'cpu').map(({ process, cpu }) => [process.pid, cpu]),
    [
      [812, 0.5],
      [1, 0.1],
      [40, 0],
    ],
  );
  assert.deepEqual(
    processUsages(now, undefined, 'memory').map(({ process, cpu }) => [process.pid, cpu]),
    [
      [812, undefined],
      [1, undefined],
      [40, undefined],
    ],
  );
});

test('a node that was lost and returns has no rates over the gap', () => {
  const lost = afterEvents(sampleModel(), 'node01', {
    kind: 'lost',
    message: 'gone',
    hop: undefined,
    atMs: 5,
  });
  const back = shownNode(afterEvents(lost, 'node01', { kind: 'sampled', sample: sampleAt(9) }));
  assert.deepEqual([back.reach.kind, back.before], ['here', undefined]);
});

test('a node that stays lost is away since the first failure', () => {
  const lost = (atMs: number) => ({ kind: 'lost', message: `at ${atMs}`, hop: undefined, atMs }) as const;
  const { reach } = shownNode(afterEvents(sampleModel(), 'node01', lost(5), lost(8)));
  assert.deepEqual(reach, { kind: 'away', message: 'at 8', hop: undefined, sinceMs: 5 });
});

test('two samples in quick succession count as one, with the values of both', () => {
  const { system, load, ...rest } = sampleAt(3);
  const again = shownNode(
    afterEvents(sampleModel(), 'node01', {
      kind: 'sampled',
      sample: { ...rest, elapsedMs: rest.elapsedMs + 10 },
    }),
  );
  assert.equal(again.history.cpu.length, 2);
  assert.deepEqual([again.sample?.atMs, again.sample?.load], [rest.atMs, load]);
  assert.notEqual(again.sample?.system, undefined);
  assert.notEqual(system, undefined);
});

test('the dashboard goes on when somebody sets the clock back or forward', () => {
  const moved = (stepMs: number) => {
    const { atMs, ...rest } = sampleAt(4);
    const sample = { ...rest, atMs: atMs + stepMs };
    const node = shownNode(afterEvents(sampleModel(), 'node01', { kind: 'sampled', sample }));
    assert.equal(node.sample?.atMs, sample.atMs);
    return {
      history: node.history,
      network: networkRates(sample, node.before),
      disks: diskRates(sample, node.before),
    };
  };
  const even = moved(0);
  assert.equal(even.history.cpu.length, 3);
  assert.notEqual(even.network[0]?.inRate, undefined);
  assert.deepEqual([moved(-3_600_000), moved(3_600_000)], [even, even]);
});

test('times of logs are in UTC, whatever zone they were written in', () => {
  const text = (time: string) => serviceLine(JSON.stringify({ time, msg: 'up' })).text.trim();
  assert.equal(text('2026-01-10T02:59:59+05:30'), '21:29:59       up');
  assert.equal(text('2026-01-10T02:59:59.123456789Z'), '02:59:59       up');
  assert.equal(text('2026-01-10T02:59:59'), '02:59:59       up');
});

test('log lines of daemons are shown in readable form, and other lines unchanged', () => {
  assert.equal(
    kernelLine('kern:     err: [2026-01-10T02:59:59.5Z]: [drm] failed').text,
    '02:59:59 err    [drm] failed',
  );
  assert.equal(kernelLine('something else').text, 'something else');
  assert.equal(
    serviceLine(
      '{"level":"info","time":"2026-01-10T02:59:59Z","name":"apid","msg":"up","port":1,"trace_id":"x"}',
    ).text,
    '02:59:59 info  up port=1',
  );
  assert.deepEqual(
    ['{broken', '{"a":1}', 'plain'].map((line) => serviceLine(line).text),
    ['{broken', '{"a":1}', 'plain'],
  );
  assert.deepEqual(['02:59:59 err x', '02:59:59 warn x', 'err x'].map(lineUrgency), [
    'bad',
    'warning',
    'plain',
  ]);
});

test('withLines() takes the time of a line of Kubernetes from the line', () => {
  const nowMs = Date.UTC(2026, 0, 1, 0, 5);
  const { lines } = withLines(emptyLog, 'kubelet', ['I1231 23:59:59.000000 1 a.go:1] x', 'no time'], nowMs);
  const atMs = Date.UTC(2025, 11, 31, 23, 59, 59);
  assert.deepEqual(
    lines.map((line) => line.atMs),
    [atMs, atMs],
  );
});

test('withLines() cuts lines that are longer than any screen', () => {
  const { lines } = withLines(emptyLog, 'etcd', ['x'.repeat(1_000_000)], 0);
  assert.equal(lines[0]?.text.length, 8000);
});

test('withLines() keeps the last lines and counts all', () => {
  const log = withLines(
    emptyLog,
    'etcd',
    Array.from({ length: 6000 }, (_, at) => String(at)),
    0,
  );
  assert.deepEqual([log.lines.length, log.lines.at(-1)?.text, log.count], [5000, '5999', 6000]);
});
