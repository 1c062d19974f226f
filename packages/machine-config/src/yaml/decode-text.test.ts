import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { decodeConfigurationText } from './decode-text.ts';

const littleEndian = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const bigEndian = (text: string) => littleEndian(text).swap16();

test('decodeConfigurationText() decodes UTF-8, and UTF-16 with a byte order mark', () => {
  const wellFormed = fc.string({ unit: 'grapheme' }).filter((text) => !text.startsWith('\ufeff'));
  fc.assert(
    fc.property(wellFormed, (text) => {
      for (const bytes of [Buffer.from(text), littleEndian(text), bigEndian(text)])
        assert.equal(decodeConfigurationText(bytes), text);
    }),
    { seed: 3 },
  );
  const text = decodeConfigurationText(bigEndian('machine: { token: ü }')) ?? '';
  assert.deepEqual(loadConfiguration(text)[0]?.value, { machine: { token: 'ü' } });
});

test('decodeConfigurationText() refuses bytes that are no text', () => {
  for (const bytes of [[0xc3], [0xff, 0xfe, 0x00], [0xfe, 0xff, 0xd8, 0x00], [0x80, 0x81]])
    assert.equal(decodeConfigurationText(Uint8Array.from(bytes)), undefined, bytes.join());
});
