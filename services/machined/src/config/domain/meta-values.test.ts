import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metaKeyId, withMetaValue, withoutMetaValue } from './meta-values.ts';

const bytes = (text: string) => Buffer.from(text);

test('withMetaValue() adds or replaces a value and does not modify its argument', () => {
  const first = withMetaValue(new Map(), 10, bytes('a'));
  const second = withMetaValue(withMetaValue(first, 12, bytes('b')), 10, bytes('c'));
  assert.deepEqual([...first], [[10, bytes('a')]]);
  assert.deepEqual(
    [...second],
    [
      [10, bytes('c')],
      [12, bytes('b')],
    ],
  );
});

test('withoutMetaValue() removes a value, and fails when the key has none', () => {
  const values = withMetaValue(new Map(), 255, bytes('a'));
  assert.deepEqual([...withoutMetaValue(values, 255)], []);
  assert.throws(() => withoutMetaValue(values, 254), { kind: 'not-found', message: 'meta key not found' });
});

test('a META key must fit in a byte and must not be the end marker', () => {
  for (const key of [-1, 256, 0xffffffff, 1.5]) {
    const refusal = { kind: 'invalid-argument', message: 'key must be a uint8' };
    assert.throws(() => withMetaValue(new Map(), key, bytes('')), refusal);
    assert.throws(() => withoutMetaValue(new Map(), key), refusal);
  }
  assert.throws(() => withMetaValue(new Map(), 0, bytes('')), {
    kind: 'invalid-argument',
    message: 'key 0x00 is reserved: it marks the end of META',
  });
});

test('withMetaValue() accepts values up to the size of the partition and refuses one byte more', () => {
  const head = 8;
  const full = withMetaValue(new Map(), 10, Buffer.alloc(262_104 - head));
  assert.equal(full.size, 1);
  assert.throws(() => withMetaValue(full, 11, bytes('')), {
    kind: 'resource-exhausted',
    message: /^meta write failed: /,
  });
  assert.equal(withMetaValue(full, 10, bytes('')).get(10)?.length, 0);
});

test('metaKeyId() writes two hexadecimal digits', () => {
  assert.deepEqual([metaKeyId(6), metaKeyId(16), metaKeyId(255)], ['0x06', '0x10', '0xff']);
});
