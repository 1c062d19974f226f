import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { statusText } from './status-text.ts';

test('statusText() keeps an ordinary text unchanged', () => {
  for (const text of ['', 'no such disk', 'naïve 🎈', 'x'.repeat(32 * 1024)]) {
    assert.equal(statusText(text), text);
  }
});

test('statusText() states the original length of a text that it truncates', () => {
  const text = statusText('x'.repeat(5_000_000));
  assert.match(text, /^x{32768}\.\.\. \(cut: it has 5000000 characters\)$/);
});

test('statusText() returns text that can be encoded, at most slightly over the limit', () => {
  const long = fc
    .tuple(fc.string({ unit: 'binary' }), fc.nat(20_000))
    .map(([text, times]) => text.repeat(times));
  const half = fc.constantFrom('\ud83d', '\udc00', '🎈');
  fc.assert(
    fc.property(fc.array(fc.oneof(long, half), { maxLength: 4 }), (parts) => {
      const encoded = encodeURI(statusText(parts.join('')));
      assert.ok(encoded.length < 33 * 1024, String(encoded.length));
    }),
    { numRuns: 50 },
  );
});
