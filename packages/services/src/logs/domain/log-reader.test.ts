import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LogReader } from './log-reader.ts';
import { LogRing } from './log-ring.ts';

const notice = /\[(\d+) bytes of this log were lost: they were written faster than read\]\n/;

test('a log reader that keeps up returns all bytes, in pieces of any size', () => {
  const words = fc.array(fc.constantFrom('a', 'b c', '\n', 'line\n'), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(words, { maxLength: 20 }), fc.integer({ min: 1, max: 40 }), (writes, limit) => {
      const ring = new LogRing(64, 4);
      const reader = new LogReader(ring, 0);
      let seen = '';
      for (const write of writes) {
        ring.append(Buffer.from(write.join('')));
        for (let bytes = reader.read(limit); bytes.length > 0; bytes = reader.read(limit)) seen += bytes;
      }
      assert.equal(seen, writes.flat().join(''));
    }),
  );
});

test('a log reader that falls behind counts every missed byte and continues with a whole line', () => {
  const step = fc.record({ lines: fc.nat(12), reads: fc.nat(4) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.integer({ min: 1, max: 50 }), (steps, limit) => {
      const ring = new LogRing(100, 4);
      const reader = new LogReader(ring, 0);
      let [written, seen, number] = ['', '', 0];
      const readAll = (times: number) => {
        for (let count = 0; count < times; count++) seen += reader.read(limit);
      };
      for (const { lines, reads } of steps) {
        for (let count = 0; count < lines; count++) {
          const line = `line ${number++}\n`;
          written += line;
          ring.append(Buffer.from(line));
        }
        readAll(reads);
      }
      readAll(1000);

      let from = 0;
      const parts = seen.split(new RegExp(notice, 'g'));
      for (let at = 0; at < parts.length; at += 2) {
        const text = parts[at] as string;
        const missed = Number(parts[at + 1] ?? 0);
        // A notice within a line starts with a line break, to end that line.
        const fits = (length: number) =>
          written.startsWith(text.slice(0, length), from) &&
          (missed === 0 || written[from + length + missed - 1] === '\n');
        const length = [text.length, text.length - 1].find(fits);
        assert.ok(length !== undefined, `after ${from} bytes: ${JSON.stringify(text)}, missed ${missed}`);
        from += length + missed;
      }
      assert.equal(from, written.length);
    }),
  );
});

test('a log reader continues in the middle of a line that is longer than the ring', () => {
  const ring = new LogRing(100, 100);
  const reader = new LogReader(ring, 0);
  ring.append(Buffer.from('x'.repeat(250)));
  assert.equal(
    String(reader.read(1000)),
    '[150 bytes of this log were lost: they were written faster than read]\n',
  );
  assert.equal(String(reader.read(1000)), 'x'.repeat(100));
});

test('a log reader with an end offset reaches it, even if all bytes before it are overwritten', () => {
  const ring = new LogRing(100, 100);
  const reader = new LogReader(ring, 0);
  ring.append(Buffer.from('a\nb\n'));
  const endOffset = ring.endOffset;
  assert.equal(String(reader.read(2, endOffset)), 'a\n');
  ring.append(Buffer.from(`${'x'.repeat(300)}\n`));
  const rest: string[] = [];
  for (let piece = reader.read(1000, endOffset); piece.length > 0; piece = reader.read(1000, endOffset)) {
    rest.push(String(piece));
    assert.ok(rest.length < 3, rest.join(''));
  }
  assert.deepEqual(rest, ['[2 bytes of this log were lost: they were written faster than read]\n']);
});
