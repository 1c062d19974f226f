import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { arbitraryExpression, arbitraryMistake, scalarTypes } from './arbitrary-expression.ts';
import { typeOfExpression } from './check-expression.ts';

test('every well-typed expression gets the type it was generated for', () => {
  for (const type of scalarTypes) {
    fc.assert(
      fc.property(arbitraryExpression(type), (text) => {
        assert.deepEqual(typeOfExpression(text, 'oom-trigger'), { type });
      }),
      { numRuns: 150 },
    );
  }
});

test('an expression with one operand of a wrong type is rejected, with a position inside the expression', () => {
  fc.assert(
    fc.property(arbitraryMistake, (text) => {
      const result = typeOfExpression(text, 'oom-trigger');
      assert.ok('problem' in result, `accepted: ${text}`);
      const column = Number(/^1:(\d+): /.exec(result.problem)?.[1]);
      assert.ok(column >= 1 && column <= text.length, result.problem);
    }),
    { numRuns: 600 },
  );
});

test('any text yields a type or a problem with a position', () => {
  const word = fc.constantFrom(
    ...['(', ')', '[', ']', '{', '}', '.', '?', ':', ',', '!', '-', '+', '==', '&&', 'in', '"', "'", '`'],
    ...[
      'a',
      'disk',
      'size',
      'map',
      'all',
      'has',
      'x',
      '1',
      '1u',
      '0.5',
      'null',
      'b""',
      '\\',
      '\n',
      'é',
      '\ud800',
    ],
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.string(), (words, text) => {
      for (const each of [words.join(''), words.join(' '), text]) {
        const result = typeOfExpression(each, 'oom-trigger');
        if ('problem' in result) assert.match(result.problem, /^\d+:\d+: ./);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('white space and comments between tokens do not change the result', () => {
  fc.assert(
    fc.property(arbitraryMistake, arbitraryExpression('bool'), (mistake, text) => {
      for (const each of [mistake, text]) {
        const spaced = `// first\n ${each.replaceAll(' ', '\t \n')} // last`;
        const [plain, other] = [
          typeOfExpression(each, 'oom-trigger'),
          typeOfExpression(spaced, 'oom-trigger'),
        ];
        assert.equal('type' in other, 'type' in plain);
      }
    }),
    { numRuns: 200 },
  );
});
