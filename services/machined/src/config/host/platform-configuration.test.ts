import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { configurationFromEnvironment } from './platform-configuration.ts';

const text = '# wie gewünscht\nmachine: {}\n';
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

test('configurationFromEnvironment() reads plain, line-wrapped and gzipped base64', () => {
  const plain = base64(Buffer.from(text));
  const values = [plain, `${plain.slice(0, 8)}\n${plain.slice(8)}\n`, base64(gzipSync(text))];
  for (const USERDATA of values) assert.equal(configurationFromEnvironment({ USERDATA }), text);
});

test('configurationFromEnvironment() reads UTF-16 with a byte order mark, and removes the mark of UTF-8', () => {
  const little = Buffer.from(`\ufeff${text}`, 'utf16le');
  const big = Buffer.from(little).swap16();
  for (const bytes of [little, big, gzipSync(little), Buffer.from(`\ufeff${text}`)])
    assert.equal(configurationFromEnvironment({ USERDATA: base64(bytes) }), text);
});

test('configurationFromEnvironment() returns undefined for an empty value', () => {
  assert.equal(configurationFromEnvironment({}), undefined);
  assert.equal(configurationFromEnvironment({ USERDATA: ' \n' }), undefined);
  assert.equal(configurationFromEnvironment({ USERDATA: base64(gzipSync('')) }), undefined);
});

test('configurationFromEnvironment() refuses other values without printing them', () => {
  const damaged = base64(gzipSync(text).subarray(0, 20));
  for (const USERDATA of ['machine: secret', 'c2VjcmV0=', damaged, base64(Buffer.from([0xc3, 0x28]))]) {
    assert.throws(
      () => configurationFromEnvironment({ USERDATA }),
      (error: Error & { kind?: string }) =>
        error.kind === 'invalid-argument' &&
        error.message.includes('USERDATA') &&
        !error.message.includes(USERDATA),
    );
  }
});
