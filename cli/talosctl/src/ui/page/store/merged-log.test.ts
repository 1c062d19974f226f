import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LogLine } from '../../protocol/messages.ts';
import { MergedLog } from './merged-log.ts';

const line = (atMs: number | undefined, text = String(atMs)): LogLine => ({ atMs, level: 'info', text });
const texts = (log: MergedLog) => log.lines.map(({ text }) => text);

test('MergedLog orders the lines of several logs by time', () => {
  const log = new MergedLog();
  log.add('node01', 'apid', [line(10), line(30), line(50)], 0);
  log.add('node02', 'apid', [line(20), line(40)], 0);
  assert.deepEqual(texts(log), ['10', '20', '30', '40', '50']);
  log.add('node02', 'apid', [line(35), line(60)], 0);
  assert.deepEqual(texts(log), ['10', '20', '30', '35', '40', '50', '60']);
  log.drop('node02', 'apid');
  assert.deepEqual(texts(log), ['10', '30', '50']);
});

test('MergedLog puts a line without a time behind the one before it', () => {
  const log = new MergedLog();
  log.add('node01', 'kubelet', [line(undefined, 'first'), line(10), line(undefined, 'second')], 5);
  log.add('node01', 'kubelet', [line(undefined, 'third')], 99);
  assert.deepEqual(texts(log), ['first', '10', 'second', 'third']);
});

test('MergedLog is ordered however the lines arrive, and keeps the newest', () => {
  const batch = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 20 }), (batches) => {
      const log = new MergedLog();
      for (const [at, times] of batches.entries()) {
        log.add(
          `node${at % 3}`,
          'apid',
          times.map((atMs) => line(atMs)),
          0,
        );
        if (at % 2 === 0) void log.lines;
      }
      const found = log.lines.map(({ atMs }) => atMs);
      assert.deepEqual(
        found,
        batches.flat().sort((a, b) => a - b),
      );
    }),
  );
  const log = new MergedLog();
  for (let at = 0; at < 30; at += 1) {
    log.add(
      'node01',
      'apid',
      Array.from({ length: 1000 }, (_, each) => line(at * 1000 + each)),
      0,
    );
  }
  assert.equal(log.lines.length, 20_000);
  assert.deepEqual([log.lines[0]?.text, log.lines.at(-1)?.text, log.count], ['10000', '29999', 30_000]);
});
