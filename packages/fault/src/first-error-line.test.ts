import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { firstErrorLine } from './first-error-line.ts';

test('firstErrorLine() finds why etcd, a program of Go, one of Kubernetes and a daemon ended', () => {
  const outputs = [
    [
      '{"level":"info","msg":"starting etcd"}',
      '{"level":"error","msg":"peer is slow","error":"timeout"}',
      '{"level":"fatal","ts":"2026-01-10T03:00:00Z","msg":"failed to create WAL","error":"write /w: no space left on device"}',
      '{"level":"info","msg":"closing"}',
    ],
    ['panic: runtime error: index out of range', '', 'goroutine 1 [running]:', 'main.main()'],
    ['I0110 03:00:00.1 1 a.go:1] up', 'F0110 03:00:01.2 1 a.go:2] no certificate'],
    ['Error: cannot open the database', '    at open (a.js:1)'],
    ['write /var/x: no space left on device'],
    ['all is well', '{"level":"warn","msg":"slow"}', '{broken'],
    [''],
  ];
  assert.deepEqual(
    outputs.map((lines) => firstErrorLine(lines.join('\n'))),
    [
      'failed to create WAL: write /w: no space left on device',
      'panic: runtime error: index out of range',
      'F0110 03:00:01.2 1 a.go:2] no certificate',
      'Error: cannot open the database',
      'write /var/x: no space left on device',
      undefined,
      undefined,
    ],
  );
});

test('firstErrorLine() gives a bounded text for any output', () => {
  assert.equal(firstErrorLine(`panic: ${'x'.repeat(1_000_000)}`)?.length, 300);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (output) => (firstErrorLine(output)?.length ?? 0) <= 300),
  );
});
