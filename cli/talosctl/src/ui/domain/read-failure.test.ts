import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFailure } from './read-failure.ts';

const line = {
  ...{ level: 'error', time: '2026-01-10T09:00:01.000Z', name: 'machined' },
  ...{ controller: 'etcd.SpecController', error: 'no address', retryMs: 750, msg: 'controller failed' },
};

test('readFailure() reads the failure of a controller from its line', () => {
  assert.deepEqual(readFailure(JSON.stringify(line)), {
    ...{ controller: 'etcd.SpecController', message: 'no address', retryMs: 750 },
    atMs: Date.parse('2026-01-10T09:00:01.000Z'),
  });
});

test('readFailure() reads nothing from other lines', () => {
  const others = [
    ...[
      '',
      'text',
      '{"msg":"controller failed"',
      '{"msg":"controller failed"}',
      '"controller failed"',
      'null',
    ],
    JSON.stringify({ ...line, msg: 'other', text: '"controller failed"' }),
    JSON.stringify({ ...line, controller: 7 }),
    JSON.stringify({ ...line, time: 'later' }),
  ];
  for (const each of others) assert.equal(readFailure(each), undefined, each);
});
