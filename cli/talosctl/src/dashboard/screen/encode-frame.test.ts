import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFrame } from './encode-frame.ts';
import { besides, fitFrame, frameText, line, span } from './frame.ts';

const plain = { hasColours: true, hasUnicode: true };
const frame = (...texts: string[]) => texts.map((text) => line(span(text)));

test('encodeFrame() writes the whole screen once, then only the lines that differ', () => {
  const first = frame('one', 'two');
  assert.equal(encodeFrame(first, undefined, plain), '\u001b[0m\u001b[2J\u001b[1;1Hone\u001b[2;1Htwo');
  assert.equal(encodeFrame(frame('one', 'TWO'), first, plain), '\u001b[2;1HTWO');
  assert.equal(encodeFrame(frame('one', 'two'), first, plain), '');
});

test('encodeFrame() writes colours, or bold and reverse without colours, and ASCII for limited terminals', () => {
  const shown = [line(span('bad', 'bad'), span('│█日', 'plain'), span('x', 'chosen'))];
  assert.equal(encodeFrame(shown, [], plain), '\u001b[1;1H\u001b[31;1mbad\u001b[0m│█日\u001b[7mx\u001b[0m');
  const mono = encodeFrame(shown, [], { hasColours: false, hasUnicode: false });
  assert.equal(mono, '\u001b[1;1H\u001b[1mbad\u001b[0m|#??\u001b[7mx\u001b[0m');
});

test('fitFrame() and besides() keep to their columns, even when a wide character does not fit', () => {
  assert.deepEqual(frameText(fitFrame(frame('日本語', 'a'), { columns: 4, rows: 3 })), ['日…', 'a', '']);
  assert.deepEqual(frameText(besides(frame('ab'), 3, frame('cdef'), 3, 2)), ['ab │cd…', '   │']);
});
