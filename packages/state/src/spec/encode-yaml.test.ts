import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { encodeYaml } from './encode-yaml.ts';

const options = {
  version: '1.1',
  indent: 4,
  lineWidth: 0,
  aliasDuplicateObjects: false,
  blockQuote: 'literal',
  singleQuote: false,
} as const;

const words = [
  'yes',
  'Off',
  'null',
  'y',
  'e1',
  '1e3',
  '.5',
  '10.0.0.1',
  '10.0.0.1/8',
  '1.2.3',
  '0x1f',
  '12:30',
  'a: b',
];
const text = fc.oneof(
  fc.constantFrom(
    ...words,
    '-',
    '- a',
    '#x',
    'a #b',
    'a ',
    ' a',
    'v1.14.0',
    'Talos (v1.14.0)',
    'true story',
    '<<',
    '=',
  ),
  fc.stringMatching(/^[a-zA-Z0-9_./+() -]{0,8}$/),
  fc.string({ maxLength: 6 }),
);

test('encodeYaml() writes simple values exactly like the YAML library', () => {
  const { value } = fc.letrec((tie) => ({
    scalar: fc.oneof(text, fc.boolean(), fc.integer(), fc.constantFrom(null, undefined, 1.5, -0)),
    value: fc.oneof(
      { depthSize: 'small' },
      tie('scalar'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const map = fc.dictionary(text, value, { minKeys: 1, maxKeys: 4, noNullPrototype: true });
  fc.assert(
    fc.property(map, (data) => assert.equal(encodeYaml(data), stringify(data, options))),
    { numRuns: 3000 },
  );
});

test('encodeYaml() quotes strings that look like other types, and writes long strings as literal blocks', () => {
  const values = [
    'yes',
    'on',
    'null',
    '12',
    '1e3',
    '0000:00:03.0',
    '2026-01-10T09:00:01Z',
    '',
    'a: b',
    '~',
    '0x1f',
  ];
  for (const value of values) assert.equal(encodeYaml({ a: value }), `a: ${JSON.stringify(value)}\n`);
  const document = 'version: v1alpha1\nmachine:\n    type: worker\n---\nkind: X\n';
  assert.equal(encodeYaml(document), `|\n${document.replace(/^/gm, '    ').trimEnd()}\n`);
  assert.equal(parse(encodeYaml(document)), document);
  assert.equal(encodeYaml('worker'), 'worker\n');
});
