import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { LineOutput } from './line-output.ts';

/** A pipe with a limited number of free bytes. */
class FakePipe {
  readonly written: string[] = [];
  readonly #pieces: Buffer[] = [];
  /** Free bytes. */
  room = Number.POSITIVE_INFINITY;
  error: string | undefined;

  write(bytes: Uint8Array): number {
    if (this.error !== undefined) throw Object.assign(new Error(this.error), { code: this.error });
    if (this.room === 0) throw Object.assign(new Error('full'), { code: 'EAGAIN' });
    const taken = Math.min(bytes.length, this.room);
    this.room -= taken;
    this.#pieces.push(Buffer.from(bytes.subarray(0, taken)));
    this.written.push(Buffer.from(bytes.subarray(0, taken)).toString());
    return taken;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}

function openOutput() {
  const pipe = new FakePipe();
  const output = new LineOutput({
    write: (bytes) => pipe.write(bytes),
    lost: (count) => `lost ${count}\n`,
  });
  return { pipe, output };
}

test('LineOutput writes the lines of one event loop turn together and in order', async () => {
  const { pipe, output } = openOutput();
  output.write('one\n');
  output.write('two\n');
  assert.deepEqual(pipe.written, []);
  await nextTurn();
  await nextTurn();
  assert.deepEqual(pipe.written, ['one\ntwo\n']);
});

test('LineOutput does not block when its reader is slow, and writes every byte later', async () => {
  const { pipe, output } = openOutput();
  pipe.room = 5;
  output.write('one\n');
  output.write('two\n');
  await nextTurn();
  await nextTurn();
  assert.equal(pipe.written.join(''), 'one\nt');
  output.write('three\n');
  pipe.room = 1000;
  output.flush();
  assert.equal(pipe.written.join(''), 'one\ntwo\nthree\n');
});

test('LineOutput writes lines of any length and any characters whole and in order', () => {
  const { pipe, output } = openOutput();
  const lines = [1, 30_000, 10, 22_000, 100_000, 3].map((length, at) => `${at}${'€'.repeat(length)}\n`);
  for (const line of lines) output.write(line);
  // Three bytes of the first line, so that its character is cut.
  pipe.room = 3;
  output.flush();
  pipe.room = Number.POSITIVE_INFINITY;
  output.flush();
  assert.ok(pipe.bytes().equals(Buffer.from(lines.join(''))));
});

test('LineOutput limits the waiting lines and writes how many were lost', () => {
  const { pipe, output } = openOutput();
  pipe.room = 0;
  const line = `${'x'.repeat(1023)}\n`;
  for (let count = 0; count < 1024 + 7; count += 1) output.write(line);
  pipe.room = Number.POSITIVE_INFINITY;
  output.flush();
  const text = pipe.written.join('');
  assert.equal(text.length, 1024 * 1024 + 'lost 7\n'.length);
  assert.ok(text.endsWith('x\nlost 7\n'));
  output.write('after\n');
  output.flush();
  assert.ok(pipe.written.join('').endsWith('lost 7\nafter\n'));
});

test('flush() at the end of a process does not wait forever', () => {
  const { pipe, output } = openOutput();
  pipe.room = 0;
  output.write('one\n');
  output.flush();
  assert.deepEqual(pipe.written, []);
});

test('LineOutput stops after its reader has closed, but retries after a full disk', () => {
  const { pipe, output } = openOutput();
  pipe.error = 'ENOSPC';
  output.write('lost\n');
  output.flush();
  pipe.error = undefined;
  output.write('kept\n');
  output.flush();
  assert.deepEqual(pipe.written, ['kept\n']);
  pipe.error = 'EPIPE';
  output.write('gone\n');
  output.flush();
  pipe.error = undefined;
  output.write('never\n');
  output.flush();
  assert.deepEqual(pipe.written, ['kept\n']);
});

test('LineOutput gathers lines of bytes, and writes them with the next line that cannot wait', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { pipe, output } = openOutput();
  output.writeBytes(Buffer.from('one\nrest of the memory'), 4);
  output.writeBytes(Buffer.from('two\n'), 4);
  await nextTurn();
  await nextTurn();
  assert.deepEqual(pipe.written, []);
  output.write('three\n');
  await nextTurn();
  await nextTurn();
  assert.deepEqual(pipe.written, ['one\ntwo\nthree\n']);
  t.mock.timers.tick(50);
  for (const line of ['four\n', 'fifth\n']) {
    output.writeBytes(Buffer.from(line), line.length);
    t.mock.timers.tick(49);
    assert.notEqual(pipe.written.at(-1), line);
    t.mock.timers.tick(1);
    assert.equal(pipe.written.at(-1), line);
  }
  output.writeBytes(Buffer.from('last\n'), 5);
  output.flush();
  assert.equal(pipe.written.at(-1), 'last\n');
});

test('LineOutput keeps the order of strings and bytes of any length, whatever the pipe takes at once', () => {
  const step = fc.record({
    length: fc.nat({ max: 30_000 }),
    isBytes: fc.boolean(),
    isFlushed: fc.boolean(),
    mostBytes: fc.integer({ min: 1000, max: 100_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const pieces: Buffer[] = [];
      let most = 0;
      const write = (bytes: Uint8Array) => {
        pieces.push(Buffer.from(bytes.subarray(0, most)));
        return Math.min(bytes.length, most);
      };
      const output = new LineOutput({ write, lost: () => 'lost\n' });
      const lines = steps.map(({ length }, at) => `${at}${'€'.repeat(length)}\n`);
      steps.forEach(({ isBytes, isFlushed, mostBytes }, at) => {
        most = mostBytes;
        const line = lines[at] ?? '';
        if (isBytes) output.writeBytes(Buffer.from(line), Buffer.byteLength(line));
        else output.write(line);
        if (isFlushed) output.flush();
      });
      output.flush();
      assert.ok(Buffer.concat(pieces).equals(Buffer.from(lines.join(''))));
    }),
  );
});
