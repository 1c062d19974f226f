import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DocumentReader } from '../effective/config-reader.ts';
import { documentKinds, legacyKind } from '../schema/document-schema.ts';
import { fieldPaths } from '../schema/field-paths.ts';
import type { FieldType } from '../schema/parse-schema.ts';
import { integerRanges } from './decode-scalar.ts';
import { loadConfiguration } from './load-configuration.ts';

type IntegerType = keyof typeof integerRanges;

/**
 * The number of integer fields of each type, compared with the released client for the kinds that it knows.
 */
const expectedCounts: Readonly<Record<IntegerType | 'ints', number>> = {
  int: 24,
  uint8: 9,
  uint16: 7,
  uint32: 89,
  uint64: 12,
  mode: 2,
  ints: 4,
};

const integerFields = documentKinds.flatMap((kind) =>
  fieldPaths(kind).flatMap(({ path, field }) =>
    field.type in expectedCounts ? [{ kind, path, type: field.type as IntegerType | 'ints' }] : [],
  ),
);

/** A document that sets the field at the path to the value. */
function documentWith(kind: string, path: string, value: string): string {
  const parts = path.split('.');
  const body = parts.reduceRight((inside, part) => {
    if (part === '*') return `{ key: ${inside} }`;
    return part.endsWith('[]') ? `{ ${part.slice(0, -2)}: [${inside}] }` : `{ ${part}: ${inside} }`;
  }, value);
  const head = kind === legacyKind ? 'version: v1alpha1' : `apiVersion: v1alpha1\nkind: ${kind}`;
  return `${head}\n${body.slice(2, -2)}\n`;
}

function problem(kind: string, path: string, value: string): string {
  try {
    loadConfiguration(documentWith(kind, path, value));
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test('loadConfiguration() accepts exactly the range of the type in every integer field of every kind', () => {
  for (const { kind, path, type } of integerFields) {
    const [low, high] = integerRanges[type === 'ints' ? 'int' : type];
    const write = (number: bigint) => {
      const text = type === 'mode' ? `0o${number.toString(8)}` : String(number);
      return type === 'ints' ? `[${text}]` : text;
    };
    const where = `${kind} ${path}`;
    assert.equal(problem(kind, path, write(low)), '', where);
    assert.equal(problem(kind, path, write(high)), '', where);
    assert.match(problem(kind, path, write(high + 1n)), /cannot construct !!int/, where);
    const below = type === 'mode' ? '-1' : write(low - 1n);
    assert.match(problem(kind, path, below), /cannot construct !!int/, where);
  }
});

test('the number of integer fields of each type matches Talos', () => {
  const counts = Object.groupBy(integerFields, ({ type }) => type as FieldType);
  assert.deepEqual(
    Object.fromEntries(Object.entries(counts).map(([type, fields]) => [type, fields.length])),
    expectedCounts,
  );
});

test('loadConfiguration() accepts whole numbers in every YAML notation for integer fields', () => {
  const mtu = (value: string) =>
    loadConfiguration(`apiVersion: v1alpha1\nkind: LinkConfig\nname: a\nmtu: ${value}\n`)[0]?.value.mtu;
  const rows: [string, number][] = [
    ['1e3', 1000],
    ['1.0', 1],
    ['1.5E+3', 1500],
    ['.5e1', 5],
    ['100e-2', 1],
    ['018', 18],
    ['1_500', 1500],
    ['0x10', 16],
    ['017', 15],
    ['0b11', 3],
    ['+5', 5],
    ['0e9', 0],
    ['4294967295.0', 4294967295],
  ];
  assert.deepEqual(
    rows.map(([text]) => mtu(text)),
    rows.map(([, number]) => number),
  );
  for (const text of ['1.5', '1e20', '1e400', '1e-1', '-1.0', '1e999999999999', '"1500"', 'true', '1:30'])
    assert.throws(() => mtu(text), { kind: 'invalid-argument', message: /cannot construct/ }, text);
});

test('loadConfiguration() accepts an unquoted timestamp only in string fields, as a string', () => {
  const value = (text: string) => loadConfiguration(text)[0]?.value;
  assert.deepEqual(value('machine: { token: 2001-01-01, env: { a: 2001-01-01T00:00:00Z } }'), {
    machine: { token: '2001-01-01', env: { a: '2001-01-01T00:00:00Z' } },
  });
  assert.throws(() => value('machine: { network: { interfaces: [{ mtu: 2001-01-01 }] } }'), {
    message: /cannot construct !!timestamp `2001-01...` into int$/,
  });
  for (const timestamp of ['2001-01-01', '2001-1-2', '2001-12-14T21:59:43.10Z', '2001-12-14 21:59:43'])
    assert.throws(() => value(`machine: { kubelet: { extraConfig: { a: [{ b: ${timestamp} }] } } }`), {
      message: /line 1, column \d+: machine\.kubelet\.extraConfig: a timestamp is not allowed here/,
    });
  for (const text of ['"2001-01-01"', '2001-13-45', '2001-02-30', '2001-12-14 21:59:43 -5'])
    assert.doesNotThrow(() => value(`machine: { kubelet: { extraConfig: { a: ${text} } } }`), text);
});

test('loadConfiguration() resolves merge keys in free-form parts and maps of texts, and rejects others', () => {
  const refused = [
    'machine: { <<: { token: t } }',
    'machine: { registries: { mirrors: { <<: { endpoints: [a] } } } }',
    'machine: { kubelet: { extraArgs: { <<: [a] } } }',
    'cluster: {}\n<<: { machine: {} }',
  ];
  for (const text of refused)
    assert.throws(() => loadConfiguration(text), { message: /unknown keys|merge keys|!!map/ }, text);
  const free = (body: string) => {
    const [document] = loadConfiguration(`machine: { kubelet: { extraConfig: ${body} } }`);
    return document && new DocumentReader(document).value('machine', 'kubelet', 'extraConfig');
  };
  assert.deepEqual(free('{ a: &x { b: 1, c: 2 }, d: { <<: *x, c: 3 }, e: { <<: [{ f: 4 }, *x] } }'), {
    a: { b: 1, c: 2 },
    d: { c: 3, b: 1 },
    e: { f: 4, b: 1, c: 2 },
  });
  assert.deepEqual(free('{ "<<": { a: 1 } }'), { '<<': { a: 1 } });
  const env = (body: string) => loadConfiguration(`machine: { env: ${body} }`)[0]?.value;
  assert.deepEqual(env('{ <<: [{ a: 1, b: 2 }, { c: 3 }], b: 4 }'), {
    machine: { env: { a: '1', b: '4', c: '3' } },
  });
  assert.throws(() => env('{ <<: { a: [b] } }'), { message: /env\.a: cannot construct !!seq into string/ });
  assert.throws(() => env('{ <<: a }'), { message: /a merge key needs a mapping/ });
  assert.throws(() => free('{ <<: 1 }'), { message: /a merge key needs a mapping/ });
});
