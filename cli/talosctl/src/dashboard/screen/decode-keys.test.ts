import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeKeys } from './decode-keys.ts';

const words = (input: string, isFinal = true) =>
  decodeKeys(input, isFinal).keys.map((key) => (key.kind === 'named' ? key.name : key.text));

test('decodeKeys() knows the keys of xterm, the Linux console and others', () => {
  assert.deepEqual(words('q日\r\t\u007f\u0003'), ['q', '日', 'enter', 'tab', 'backspace', 'ctrl-c']);
  assert.deepEqual(words('\u001b[A\u001bOB\u001b[1;5C\u001b[5~\u001b[6;2~\u001b[Z'), [
    ...['up', 'down', 'right', 'page-up', 'page-down', 'shift-tab'],
  ]);
  assert.deepEqual(words('\u001bOP\u001b[12~\u001b[[C\u001b[1;2S\u001b[15~\u001b[17~\u001b[18;2~'), [
    ...['f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7'],
  ]);
});

test('decodeKeys() takes a lone escape for the escape key only when nothing follows', () => {
  assert.deepEqual(decodeKeys('x\u001b', false), {
    keys: [{ kind: 'character', text: 'x' }],
    rest: '\u001b',
  });
  assert.deepEqual(words('\u001b'), ['escape']);
  assert.deepEqual(words('\u001bq'), ['escape', 'q']);
});

test('decodeKeys() ignores unknown sequences', () => {
  assert.deepEqual(words('\u001b[200~\u001b[<0;1;1Mx\u001b[99;99R'), ['x']);
});

test('decodeKeys() gives the same keys for any chunking of the input', () => {
  const input = 'a\u001b[A\u001b[1;5Bé\u001bOPz\u001b[6~';
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: input.length - 1 })), (cuts) => {
      const keys = [];
      let rest = '';
      const bounds = [0, ...cuts.sort((a, b) => a - b), input.length];
      for (const [index, from] of bounds.slice(0, -1).entries()) {
        const decoded = decodeKeys(rest + input.slice(from, bounds[index + 1]), false);
        keys.push(...decoded.keys);
        rest = decoded.rest;
      }
      assert.deepEqual([keys, rest], [decodeKeys(input, true).keys, '']);
    }),
  );
});
