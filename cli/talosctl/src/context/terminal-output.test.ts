import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeEntry, escapeLine, escapeText } from '../output/escape-text.ts';
import type { CliEnvironment, OutputStream } from './command-module.ts';
import { ownText, writeOwn } from './own-text.ts';
import { guardEnvironment, guardOutput, mostEscapedAtOnce, TerminalOutput } from './terminal-output.ts';

const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);
console.log(`fast-check seed ${seed}`);
const property = { seed, numRuns: 300 };

class Recorder implements OutputStream {
  written: (string | Uint8Array)[] = [];
  readonly isTTY: boolean;
  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }
  write(text: string | Uint8Array): boolean {
    this.written.push(text);
    return true;
  }
  get text(): string {
    return this.written.join('');
  }
}

/** Everything that must not reach a terminal unescaped. */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\u001b[2J',
        '\u009b2J',
        '\u001b]0;t\u0007',
        '\u202e',
        '\u2066',
        '\u200b',
        '\r',
        '\u{e0041}',
      ),
      fc.constantFrom('\ufeff', '\u2028', '\u00ad', '\u3164', '\u061c', '\ud83d', '\n', '\t', 'text'),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));

test('invisible characters are shown in readable form, and plain text is unchanged', () => {
  const rows = [
    ['plain, ümlaut, 漢字, 😀', 'plain, ümlaut, 漢字, 😀'],
    ['a\u001b[31mred\u0007', 'a\\u001b[31mred\\u0007'],
    ['\u009b2J\u007f', '\\u009b2J\\u007f'],
    ['user\u202egnp.exe', 'user\\u202egnp.exe'],
    ['no\u200bde01\u{e0041}', 'no\\u200bde01\\udb40\\udc41'],
    ['a\r\nb\tc', 'a\\r\nb\tc'],
  ] as const;
  for (const [text, shown] of rows) assert.equal(escapeText(text), shown);
  assert.equal(escapeLine('a\r\nb\tc'), 'a\\r\\nb\\tc');
  assert.equal(escapeEntry('failed\nerror from node node02: ok\n'), 'failed\n    error from node node02: ok');
});

test('JSON on a terminal stays JSON with the same value', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const value = text.toWellFormed();
      assert.equal(JSON.parse(escapeText(JSON.stringify(value))), value);
    }),
    property,
  );
});

test('no text controls a terminal, however it is split into writes', () => {
  fc.assert(
    fc.property(hostile, fc.array(fc.nat(50), { maxLength: 5 }), (text, cuts) => {
      const terminal = new Recorder(true);
      const output = new TerminalOutput(terminal);
      let rest = text;
      for (const cut of cuts) {
        output.write(rest.slice(0, cut));
        rest = rest.slice(cut);
      }
      output.write(rest);
      assert.doesNotMatch(terminal.text, hidden);
    }),
    property,
  );
});

test('bytes print the same for any chunking, even inside characters and for invalid UTF-8', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    hostile.map((text) => new Uint8Array(Buffer.from(text))),
  );
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(60), { maxLength: 6 }), (whole, cuts) => {
      const terminal = new Recorder(true);
      const output = new TerminalOutput(terminal);
      const places = [
        0,
        ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b),
        whole.length,
      ];
      for (const [index, place] of places.slice(1).entries()) output.write(whole.slice(places[index], place));
      output.flush();
      assert.equal(terminal.text, escapeText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole)));
      assert.doesNotMatch(terminal.text, hidden);
    }),
    property,
  );
});

test('output that is not a terminal gets every byte unchanged', () => {
  fc.assert(
    fc.property(fc.uint8Array(), hostile, (bytes, text) => {
      const pipe = new Recorder(false);
      const output = guardOutput(pipe);
      output.write(bytes);
      output.write(text);
      assert.deepEqual(pipe.written, [bytes, text]);
    }),
    property,
  );
});

test('own texts control the terminal, and the values in them do not', () => {
  const terminal = new Recorder(true);
  const output = guardOutput(terminal);
  writeOwn(output, ownText`\u001b[32m${'a\u001b[2J\nb'}${ownText`\u001b[0m`}\n`);
  assert.equal(terminal.text, '\u001b[32ma\\u001b[2J\\nb\u001b[0m\n');
});

test('a large text is escaped in pieces of a bounded size, without splitting a character', () => {
  const terminal = new Recorder(true);
  new TerminalOutput(terminal).write(`x${'😀'.repeat(mostEscapedAtOnce)}`);
  assert.equal(terminal.text, `x${'😀'.repeat(mostEscapedAtOnce)}`);
  assert.ok(terminal.written.every((piece) => piece.length <= mostEscapedAtOnce));
});

test('bytes of an incomplete character are shown at the end of the command', () => {
  const terminal = new Recorder(true);
  const env = guardEnvironment({ stdout: terminal, stderr: terminal } as unknown as CliEnvironment);
  env.stdout.write(new Uint8Array([0x61, 0xe2, 0x80]));
  assert.equal(terminal.text, 'a');
  env.flush();
  assert.equal(terminal.text, 'a\ufffd');
});
