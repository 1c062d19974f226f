import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogLines } from './log-lines.ts';
import { LogRing } from './log-ring.ts';

test('LogLines returns whole lines, and the offset of the next one', () => {
  const ring = new LogRing(1024);
  ring.append(Buffer.from('a\n\nbc\nd'));
  const lines = new LogLines(ring, 0);
  assert.deepEqual(
    [lines.next(), lines.offset, lines.next(), lines.next(), lines.next(), lines.offset],
    ['a', 2, '', 'bc', undefined, 6],
  );
  ring.append(Buffer.from('e\n'));
  assert.deepEqual([lines.next(), lines.next(), lines.last()], ['de', undefined, undefined]);
});

test('LogLines returns the text after the last line break on request', () => {
  const ring = new LogRing(1024);
  ring.append(Buffer.from('a'));
  const lines = new LogLines(ring, 0);
  assert.deepEqual([lines.next(), lines.last(), lines.offset], [undefined, 'a', 1]);
});

test('LogLines returns a line that is too long in pieces', () => {
  const ring = new LogRing(256 * 1024);
  ring.append(Buffer.from(`${'x'.repeat(70_000)}\n`));
  const lines = new LogLines(ring, 0);
  assert.deepEqual([lines.next()?.length, lines.next()?.length, lines.next()], [65_536, 4464, undefined]);
});

test('LogLines returns a notice about bytes that were overwritten before they were read', () => {
  const ring = new LogRing(16);
  for (const letter of 'abcdefghijkl') ring.append(Buffer.from(`${letter}\n`));
  const lines = new LogLines(ring, 0);
  assert.match(lines.next() ?? '', /^\[10 bytes of this log were lost/);
  assert.equal(lines.next(), 'f');
});
