import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { limits } from './limits.ts';
import { readLogLine as read } from './read-log-line.ts';

const atMs = Date.UTC(2026, 0, 10, 9, 0, 1, 500);
/** A second later. */
const readLogLine = (line: string) => read(line, atMs + 1000);
const trace = '0af7651916cd43dd8448eb211c80319c';

test('readLogLine() reads the lines of daemons, etcd, the kernel and Kubernetes', () => {
  const time = '2026-01-10T09:00:01.500Z';
  assert.deepEqual(
    readLogLine(`{"level":"warn","time":"${time}","name":"apid","msg":"slow","ms":12,"trace_id":"${trace}"}`),
    { atMs, level: 'warning', text: 'slow ms=12', trace },
  );
  assert.deepEqual(readLogLine(`{"level":"info","ts":"${time}","caller":"a.go:1","msg":"published"}`), {
    ...{ atMs, level: 'info', text: 'published caller=a.go:1', trace: undefined },
  });
  assert.deepEqual(readLogLine(`kern:     err: [${time}]: disk failed`), {
    ...{ atMs, level: 'error', text: 'disk failed' },
  });
  const klog = 'E0110 09:00:01.500000       1 server.go:10] failed';
  assert.deepEqual(readLogLine(klog), { atMs, level: 'error', text: klog });
  assert.deepEqual(readLogLine(`${time} plain`), { atMs, level: 'unknown', text: `${time} plain` });
  assert.deepEqual(readLogLine('plain'), { atMs: undefined, level: 'unknown', text: 'plain' });
});

test('readLogLine() keeps what it does not understand, and cuts what is too long', () => {
  for (const text of ['{', '{"a":1}', '{"msg":7}', '[1]', '']) assert.equal(readLogLine(text).text, text);
  assert.equal(readLogLine('{"msg":"x","trace_id":"<script>"}').trace, undefined);
  assert.equal(readLogLine('x'.repeat(100_000)).text.length, limits.lineLength + 1);
});

test('readLogLine() accepts every line', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
      const { level, text: shown } = readLogLine(text);
      return typeof shown === 'string' && ['error', 'warning', 'info', 'debug', 'unknown'].includes(level);
    }),
  );
});
