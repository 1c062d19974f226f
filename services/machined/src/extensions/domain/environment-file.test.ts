import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseEnvironmentFile } from './environment-file.ts';

test('a file has variables with and without quotes, comments, and lines that are left out', () => {
  const text = [
    ...['# comment', '', 'A=1', ' export B = two words # comment', 'C=a#b', "D='# no $comment'"],
    ...['E="line\\nline \\"quoted\\""', 'F=', 'no variable', '=x', 'G=#', '  #H=1', 'I=a=b\r'],
  ].join('\n');
  assert.deepEqual(parseEnvironmentFile(text), [
    ...['A=1', 'B=two words', 'C=a#b', 'D=# no $comment', 'E=line\nline "quoted"', 'F=', 'G=', 'I=a=b'],
  ]);
});

test('any text gives variables with names, in time that grows with its length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      for (const variable of parseEnvironmentFile(text)) assert.match(variable, /^[A-Za-z_][\w.-]*=/);
    }),
  );
  assert.equal(parseEnvironmentFile(`A=${' '.repeat(1 << 18)}x`).length, 1);
});
