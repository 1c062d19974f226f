import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutText, padText, terminalText, textWidth, wrapText } from './terminal-text.ts';

test('terminalText() removes control sequences and keeps the readable text', () => {
  const texts = {
    'a\u001b[31;1mred\u001b[0m': 'ared',
    'title \u001b]0;owned\u0007end': 'title end',
    '\u001b[2J\u001b[1;1Hx': 'x',
    'tab\there\r\n': 'tab  here  ',
    '\u009b31mC1': ' 31mC1',
    'right\u202eto left\u200b': 'rightto left',
    'e\u0301\u0301': 'e',
    '日本 ok': '日本 ok',
    'half \ud800': 'half \ufffd',
  };
  for (const [text, expected] of Object.entries(texts)) assert.equal(terminalText(text), expected);
});

test('textWidth() counts two columns for wide characters', () => {
  const widths = Object.entries({ abc: 3, 日本: 4, 한글: 4, '🙂': 2, '│●…': 3, ｆ: 2 });
  assert.deepEqual(
    widths.map(([text]) => textWidth(text)),
    widths.map(([, width]) => width),
  );
});

test('textWidth() counts nothing for marks that combine with the character before them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('é', 'ñ', 'ộ', 'ǖ', '한', '글', 'が', 'й', 'a', '日'), { maxLength: 8 }),
      (letters) => {
        const text = letters.join('');
        assert.equal(textWidth(text.normalize('NFD')), textWidth(text.normalize('NFC')));
      },
    ),
    { seed: 44 },
  );
  assert.deepEqual(['ก้', 'e\u20dd', 'नि'].map(textWidth), [1, 1, 2]);
});

test('padText() gives exactly the requested columns for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 30 }), (text, width) => {
      const shown = terminalText(text);
      assert.equal(textWidth(padText(shown, width)), width);
      assert.ok(textWidth(cutText(shown, width)) <= width);
    }),
  );
});

test('wrapText() breaks between words, and inside words that are too long', () => {
  assert.deepEqual(wrapText('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrapText('日本日本日本 x', 5), ['日本', '日本', '日本', 'x']);
  // A character that is wider than the line is not lost, and does not keep the function busy for ever.
  assert.deepEqual(wrapText('日本 x', 1), ['日', '本', 'x']);
});
