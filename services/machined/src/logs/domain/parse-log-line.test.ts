import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LogEvent } from './log-event.ts';
import { encodeLogRecord } from './log-record.ts';
import { parseLogLine } from './parse-log-line.ts';

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 60);
const now = '2026-01-02T03:04:05.06Z';
const plain = { time: now, level: 'info', fields: {} } as const;

const table: readonly (readonly [what: string, line: string, event: LogEvent])[] = [
  ['a text', 'hello {world', { ...plain, message: 'hello {world' }],
  ['a text with braces', 'hello {a} b {c}', { ...plain, message: 'hello {a} b {c}' }],
  [
    'an object',
    '{"level":"warning","time":"2025-05-06T07:08:09.123456789Z","msg":"x","a":{"b":1}}',
    { message: 'x', time: '2025-05-06T07:08:09.123456789Z', level: 'warn', fields: { a: { b: 1 } } },
  ],
  ['an object after a text', '2025/01/01 apid: {"msg":"x"}', { ...plain, message: '2025/01/01 apid: x' }],
  ['an object without a message', 'text {"n":1}', { ...plain, message: 'text', fields: { n: 1 } }],
  ['seconds', '{"ts":1700000000.25,"msg":"x"}', { ...plain, message: 'x', time: '2023-11-14T22:13:20.25Z' }],
  [
    'milliseconds',
    '{"time":1700000000123,"msg":"x"}',
    { ...plain, message: 'x', time: '2023-11-14T22:13:20.123Z' },
  ],
  [
    'a time that is invalid',
    '{"time":"yesterday","ts":1,"msg":"x"}',
    { ...plain, message: 'x', time: '1970-01-01T00:00:01Z', fields: { time: 'yesterday' } },
  ],
  ['a level that is invalid', '{"level":30,"msg":"x"}', { ...plain, message: 'x', fields: { level: 30 } }],
  ['an error', '{"msg":"x","err":"no"}', { ...plain, message: 'x: no', level: 'warn' }],
  [
    'a severe error',
    '{"level":"error","msg":"x","err":"no"}',
    { ...plain, message: 'x: no', level: 'error' },
  ],
  ['an error that is not a text', '{"msg":"x","err":{}}', { ...plain, message: 'x', fields: { err: {} } }],
];

for (const [what, line, event] of table) {
  test(`parseLogLine() reads ${what}`, () => assert.deepEqual(parseLogLine(line, nowMs), event));
}

test('parseLogLine() skips blank lines', () => {
  assert.deepEqual([parseLogLine('', 0), parseLogLine(' \t\r', 0)], [undefined, undefined]);
});

test('encodeLogRecord() gives tags of the destination precedence over all other fields', () => {
  const event = parseLogLine('{"msg":"x","rack":"1","talos-level":"y"}', nowMs) as LogEvent;
  const record = encodeLogRecord(event, { service: 'apid', extraTags: { rack: '2', msg: 'tag' } });
  assert.deepEqual(JSON.parse(record ?? ''), {
    rack: '2',
    'talos-level': 'info',
    msg: 'tag',
    'talos-time': now,
    'talos-service': 'apid',
  });
});

test('encodeLogRecord() encodes every line as one line', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (line) => {
      const event = parseLogLine(line, nowMs);
      if (event === undefined) return;
      const record = encodeLogRecord(event, { service: 'apid', extraTags: {} }) ?? '';
      assert.equal(record.includes('\n'), false);
      assert.equal(JSON.parse(record)['talos-service'], 'apid');
    }),
  );
});
