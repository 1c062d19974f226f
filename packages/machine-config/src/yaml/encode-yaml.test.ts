import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { encodeYaml } from './encode-yaml.ts';
import { readYamlStream } from './read-yaml-stream.ts';
import { valueFromNode } from './value-from-node.ts';
import type { YamlValue } from './yaml-value.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom(' ', '\n', '\t', 'a', ':', '#', '-', "'", '"', '\r', '\u2028', '0', '.'),
  }),
  fc.constantFrom(
    'yes',
    'No',
    'true',
    '0x1f',
    '0o17',
    '017',
    '1_000',
    '1:30',
    '2026-08-14',
    '~',
    '<<',
    '1e3',
    '.5',
    '=',
    '',
  ),
);
const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.double({ noNaN: true }));
const { tree } = fc.letrec<{ tree: YamlValue }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(text, fc.string({ minLength: 129, maxLength: 200 })), tie('tree'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
}));

/** A YAML reader does not distinguish -0 from 0, or a large number from its bigint. */
const numbersAlike = (value: YamlValue): YamlValue =>
  JSON.parse(JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? Number(inner) : inner)));

test('encodeYaml() writes text that an independent YAML 1.2 reader decodes to the same value', () => {
  fc.assert(
    fc.property(tree, (value) => {
      assert.deepEqual(numbersAlike(parse(encodeYaml(value))), numbersAlike(value));
    }),
  );
});

test('encodeYaml() writes strings that a YAML 1.1 reader also decodes as strings', () => {
  fc.assert(
    fc.property(text, (value) => {
      assert.equal(parse(encodeYaml({ key: value }), { version: '1.1' }).key, value);
    }),
  );
});

test('readYamlStream() decodes what encodeYaml() wrote', () => {
  fc.assert(
    fc.property(fc.dictionary(text, tree, { minKeys: 1, maxKeys: 3, noNullPrototype: true }), (value) => {
      const [source] = readYamlStream(encodeYaml(value));
      assert.deepEqual(source && numbersAlike(valueFromNode(source.root)), numbersAlike(value));
    }),
  );
});

test('encodeYaml() indents by 4, by 2 after a dash, then to the next multiple of 4', () => {
  const value = {
    a: {
      list: ['x', { name: 'n1', value: { deep: [1, [2, 3]] }, text: 'one\ntwo\n' }, []],
      none: {},
      nothing: [],
    },
    pem: '-----BEGIN X-----\nabc\n-----END X-----\n',
  };
  assert.equal(
    encodeYaml(value),
    [
      'a:',
      '    list:',
      '        - x',
      '        - name: n1',
      '          value:',
      '            deep:',
      '                - 1',
      '                - - 2',
      '                  - 3',
      '          text: |',
      '            one',
      '            two',
      '        - []',
      '    none: {}',
      '    nothing: []',
      'pem: |',
      '    -----BEGIN X-----',
      '    abc',
      '    -----END X-----',
      '',
    ].join('\n'),
  );
});

test('encodeYaml() double-quotes strings that look like another type, and never folds lines', () => {
  const long = 'word '.repeat(100).trim();
  const value = {
    a: '',
    b: 'true',
    c: 'off',
    d: '0123',
    e: '1.5',
    f: 'null',
    g: long,
    h: '10.244.0.0/16',
    i: 'a: b',
    j: '*x',
  };
  assert.equal(
    encodeYaml(value),
    `a: ""\nb: "true"\nc: "off"\nd: "0123"\ne: "1.5"\nf: "null"\ng: ${long}\nh: 10.244.0.0/16\ni: 'a: b'\nj: '*x'\n`,
  );
});

test('encodeYaml() writes comments above, beside and below a key', () => {
  const comments: Record<string, object> = {
    a: { beside: 'about a' },
    b: { above: ['about b'], below: ['c: 1'] },
    'd.0.x': { above: ['about x'], beside: 'more' },
  };
  const comment = (path: readonly (string | number)[]) => comments[path.join('.')];
  assert.equal(
    encodeYaml({ a: 1, b: { k: 'v' }, d: [{ x: 1, z: 2 }] }, { comment }),
    [
      'a: 1 # about a',
      '# about b',
      'b:',
      '    k: v',
      '# c: 1',
      'd:',
      '      # about x',
      '    - x: 1 # more',
      '      z: 2',
      '',
    ].join('\n'),
  );
});
