import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileExpression } from './expression/compile-expression.ts';
import { ExpressionError } from './expression/syntax.ts';
import { QueryWork } from './query-work.ts';

const compile = (source: string) => compileExpression(source, new QueryWork());

/** Whether JavaScript's own regular expression matches. The tests below use only syntax that both share. */
const oracle = (expression: string, text: string) => new RegExp(expression, 'u').test(text);

test('compileExpression() matches the same texts as the same JavaScript expression', () => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', '\\.', '^', '$', '\\b', '(?:ab)');
  const { expression } = fc.letrec((tie) => ({
    expression: fc.oneof(
      { depthSize: 'medium' },
      atom,
      fc.tuple(tie('expression'), tie('expression')).map(([x, y]) => `${x}${y}`),
      fc.tuple(tie('expression'), tie('expression')).map(([x, y]) => `(${x}|${y})`),
      fc
        .tuple(tie('expression'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,}', '*?'))
        .map(([x, count]) => `(?:${x})${count}`),
    ),
  }));
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '.', '-', 'ä'), maxLength: 8 });
  fc.assert(
    fc.property(expression as fc.Arbitrary<string>, text, (source, candidate) => {
      // RE2's word characters are ASCII, as in JavaScript.
      assert.equal(compile(source)(candidate), oracle(source, candidate), `/${source}/ in "${candidate}"`);
    }),
    { numRuns: 2000 },
  );
});

test('compileExpression() supports the syntax that only RE2 has', () => {
  const rows: [string, string, boolean][] = [
    ['(?i)NODE', 'node01', true],
    ['(?i:N)ode', 'node01', true],
    ['(?i:N)ODE', 'node01', false],
    ['a(?i)b|C', 'xc', true],
    ['\\Anode\\z', 'node', true],
    ['\\Qa.b\\E$', 'xa.b', true],
    ['\\Qa.b\\E$', 'xacb', false],
    ['^[[:alpha:]]+[[:digit:]]$', 'ab1', true],
    ['^[[:^alpha:]]$', 'a', false],
    ['^\\p{Greek}\\PL$', 'α1', true],
    ['^\\pL$', '1', false],
    ['(?P<name>a)(?<other>b)', 'ab', true],
    ['(?s)a.b', 'a\nb', true],
    ['(?m)^b$', 'a\nb\nc', true],
    ['^\\x41\\x{1f600}$', 'A\u{1f600}', true],
    ['^[]a]+$', ']a', true],
    ['^[a-]$', '-', true],
    ['a{,2}', 'a{,2}', true],
    ['', '', true],
  ];
  for (const [source, text, expected] of rows) {
    assert.equal(compile(source)(text), expected, `/${source}/ in ${JSON.stringify(text)}`);
  }
});

test('compileExpression() rejects what RE2 rejects', () => {
  const broken = [
    '(',
    ')',
    '[a',
    '*a',
    'a{2,1}',
    'a{1001}',
    '(?=a)',
    '(?!a)',
    '(?<=a)',
    '(a)\\1',
    '\\',
    '[b-a]',
  ];
  for (const source of [
    ...broken,
    '\\x{110000}',
    '[[:what:]]',
    '\\p{What}',
    '((a{1000}){1000})',
    '('.repeat(300),
    `[${'a'.repeat(20_000)}]`,
  ]) {
    assert.throws(() => compile(source), ExpressionError, source);
  }
});

test('compileExpression() takes a bounded number of steps for malicious expressions', () => {
  const members = Array.from({ length: 3_000 }, (_, at) => String.fromCodePoint(0x4e00 + 2 * at)).join('');
  const sources = [
    '^(a+)+$',
    '^(a|a)*$',
    '^(.*)*b$',
    '(a?){200}a{200}b',
    `(?i)(?:[${members}]?){900}b`,
    `(?:[^${members}]?){900}b`,
    `(?:[\\PN\\pL\\pS\\p{Greek}]?){900}b`,
    `(${'|'.repeat(900)}){1}b`,
  ];
  for (const source of sources) {
    const work = new QueryWork();
    const matches = compileExpression(source, work);
    assert.throws(
      () => {
        for (let id = 0; id < 300_000; id += 1) assert.equal(matches(`${'a'.repeat(60)}${id}!`), false);
      },
      { kind: 'resource-exhausted' },
      source,
    );
    // Only the last step may be more than was left.
    assert.ok(work.steps < 300_000 + 1_000, `${source} took ${work.steps} steps`);
  }
});

test('compileExpression() rejects more ranges of characters than it has steps for', () => {
  const members = Array.from({ length: 3_000 }, (_, at) => String.fromCodePoint(0x4e00 + 2 * at)).join('');
  compile(`[${members}]`);
  for (const source of [`[${members}][${members}]`, '\\pL'.repeat(41), `[${'\\p{Greek}'.repeat(41)}]`])
    assert.throws(() => compile(source), /too many ranges/, source);
});

test('compileExpression() takes as many steps for a class of one range as for one of thousands', () => {
  const members = Array.from({ length: 3_000 }, (_, at) => String.fromCodePoint(0x4e00 + 2 * at)).join('');
  const stepsOf = (source: string) => {
    const work = new QueryWork();
    compileExpression(source, work)('some-id');
    return work.steps;
  };
  assert.equal(stepsOf(`^[${members}]*$`), stepsOf('^[x-z]*$'));
});

test('compileExpression() runs in bounded time for repeats of an empty expression', {
  timeout: 60_000,
}, () => {
  const nothing = ['', '(?i)', 'a{0}'].map((part) => `${'('.repeat(20)}${part}${'){1000}'.repeat(20)}`);
  for (const source of nothing) assert.equal(compile(`^${source}b$`)('b'), true, source);
});
