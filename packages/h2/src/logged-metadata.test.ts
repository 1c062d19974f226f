import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loggedMetadata } from './logged-metadata.ts';

test('loggedMetadata() hides secrets, joins repeated keys and cuts long values', () => {
  const headers = [
    ...[':path', '/a/B', ':authority', 'node01:50001', 'user-agent', 'grpc', 'token', 'abc', 'token', 'def'],
    ...['x', '1', 'x', '2', 'my-password', 'abc', 'long', 'a'.repeat(300), '__proto__', 'y'],
  ];
  const logged = loggedMetadata(headers);
  assert.deepEqual(Object.entries(logged), [
    [':authority', 'node01:50001'],
    ['user-agent', 'grpc'],
    ['token', '<hidden>'],
    ['x', '1,2'],
    ['my-password', '<hidden>'],
    ['long', `${'a'.repeat(200)}…`],
    ['__proto__', 'y'],
  ]);
});

test('loggedMetadata() limits the size of a line, and omits the keys given to it', () => {
  const many = Array.from({ length: 5000 }, (_, index) => [`key-${index}`, 'v'.repeat(5000)]).flat();
  const repeated = Array.from({ length: 5000 }, () => ['same', 'v'.repeat(100)]).flat();
  assert.ok(JSON.stringify(loggedMetadata(many)).length < 10_000);
  assert.ok(JSON.stringify(loggedMetadata(repeated)).length < 1000);
  assert.deepEqual(loggedMetadata(['peer', 'a', 'x', '1'], new Set(['peer'])), { x: '1' });
});
