import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesFromText, textFromBytes } from './byte-text.ts';

test('bytesFromText() and textFromBytes() convert every text to bytes and back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      fc.pre(text.isWellFormed());
      assert.equal(textFromBytes(bytesFromText(text)), text);
    }),
  );
});

test('textFromBytes() returns a well-formed text for all bytes and writes bytes that are not UTF-8 in hexadecimal', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = textFromBytes(Buffer.from(bytes).toString('latin1'));
      assert.ok(text.isWellFormed());
      assert.equal(Buffer.from(text).toString('utf8'), text);
      assert.equal(text.includes('\ufffd'), Buffer.from(bytes).includes(Buffer.from('\ufffd')));
    }),
  );
  assert.equal(textFromBytes('caf\xe9'), 'caf\\xe9');
  assert.equal(textFromBytes('\xed\xa0\x80 \xc3\xa9'), '\\xed\\xa0\\x80 é');
});
