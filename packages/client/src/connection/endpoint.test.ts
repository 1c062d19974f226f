import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseEndpoint } from './endpoint.ts';

test('parseEndpoint() accepts every supported form', () => {
  const rows: [string, string][] = [
    ['10.5.0.2', '10.5.0.2:50000'],
    ['10.5.0.2:6000', '10.5.0.2:6000'],
    ['node01', 'node01:50000'],
    [' node01 ', 'node01:50000'],
    ['node01.example.org:1', 'node01.example.org:1'],
    ['::1', '[::1]:50000'],
    ['[::1]', '[::1]:50000'],
    ['[fd00::2]:6000', '[fd00::2]:6000'],
    ['https://omni.example.org', 'omni.example.org:443'],
    ['https://omni.example.org:8443/', 'omni.example.org:8443'],
    ['HTTPS://[fd00::2]', '[fd00::2]:443'],
    ['grpc://node01', 'node01:50000'],
    ['http://node01:8080/path?x#y', 'node01:8080'],
  ];
  assert.deepEqual(
    rows.map(([text]) => parseEndpoint(text).address),
    rows.map(([, address]) => address),
  );
});

test('parseEndpoint() returns the host without brackets', () => {
  assert.deepEqual(parseEndpoint('[::1]:50000'), { host: '::1', port: 50000, address: '[::1]:50000' });
});

test('parseEndpoint() rejects invalid endpoints and quotes them', () => {
  for (const text of [
    '',
    ':50000',
    'a b',
    'node01:',
    'node01:0',
    'node01:65536',
    'node01:x',
    'a:b:c',
    '[::1',
    '[x]:1',
  ]) {
    assert.throws(
      () => parseEndpoint(text),
      (error: Error & { kind?: string }) =>
        error.kind === 'invalid-argument' && error.message.includes(`"${text}"`),
      text,
    );
  }
});

test('parseEndpoint() parses the address that it returned to the same endpoint', () => {
  const host = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain());
  fc.assert(
    fc.property(host, fc.integer({ min: 1, max: 65535 }), (name, port) => {
      const endpoint = parseEndpoint(name.includes(':') ? `[${name}]:${port}` : `${name}:${port}`);
      assert.deepEqual(parseEndpoint(endpoint.address), endpoint);
    }),
  );
});
