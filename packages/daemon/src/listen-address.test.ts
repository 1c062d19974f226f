import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseListenAddress } from './listen-address.ts';

test('parseListenAddress() parses host and port, and rejects other texts', () => {
  const good = [':50001', '10.5.0.2:0', '[fd00::2]:50001', 'localhost:1'];
  assert.deepEqual(good.map(parseListenAddress), [
    { port: 50_001 },
    { host: '10.5.0.2', port: 0 },
    { host: 'fd00::2', port: 50_001 },
    { host: 'localhost', port: 1 },
  ]);
  for (const bad of ['', '50001', ':65536', 'fd00::2:50001', ':-1', ':x']) {
    assert.throws(() => parseListenAddress(bad), { kind: 'invalid-argument', message: /must be host:port/ });
  }
});
