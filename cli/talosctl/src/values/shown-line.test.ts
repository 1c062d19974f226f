import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownLine } from './shown-line.ts';

const nowMs = Date.UTC(2026, 0, 10, 9);

test('shownLine() prints time, level and text of the lines of daemons, etcd and Kubernetes', () => {
  const lines = [
    '{"level":"info","time":"2026-01-10T02:59:58.120Z","name":"apid","port":50000,"trace_id":"0af7","msg":"gateway listens"}',
    '{"level":"warn","ts":"2026-01-10T03:59:59.5+0100","caller":"x.go:1","msg":"slow","took":"3s"}',
    'E0110 03:00:00.123456       1 server.go:10] it broke',
    '{"msg":"without a time\\nnode02: forged"}',
    '{"level":"info","time":1e300,"msg":"at no time"}',
  ];
  assert.deepEqual(
    lines.map((line) => shownLine(line, nowMs)),
    [
      '2026-01-10 02:59:58.120 info    gateway listens port=50000',
      '2026-01-10 02:59:59.500 warning slow caller=x.go:1 took=3s',
      '2026-01-10 03:00:00.123 error   server.go:10] it broke',
      '        without a time\\nnode02: forged',
      'info    at no time',
    ],
  );
});

test('shownLine() leaves a line of another form as it is', () => {
  for (const line of ['', 'plain text', '{broken', '{"a":1}', '2026-01-10 03:00:00 from a program'])
    assert.equal(shownLine(line, nowMs), line);
});
