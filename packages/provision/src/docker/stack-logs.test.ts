import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLogLine } from './stack-logs.ts';

test('parseLogLine() says which node a line of compose is of', () => {
  assert.deepEqual(
    [
      '\u001b[2Knode01-1         | {"msg":"a | b"}',
      'node12-apid-1    | ',
      'node02-trustd-1  |   indented',
      '\u001b[2Knode01-1 exited with code 137',
      'jaeger-1  | line',
    ].map(parseLogLine),
    [
      { node: 'node01', text: '{"msg":"a | b"}' },
      { node: 'node12', text: '' },
      { node: 'node02', text: '  indented' },
      undefined,
      undefined,
    ],
  );
});
