// Checks the specs of every kind in both encodings, YAML and protobuf.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { ResourceKind } from '../meta/define-kind.ts';
import { encodeYaml } from '../spec/encode-yaml.ts';
import type { FieldTable } from '../spec/field.ts';
import type { TypeShape } from '../spec/field-type.ts';
import { ipBytes, ipText } from '../spec/ip-text.ts';
import { PlainScalar } from '../spec/plain-scalar.ts';
import { nodeKinds } from './index.ts';

const uint = (bits: number) => fc.integer({ min: 0, max: 2 ** bits - 1 });
const text = fc.oneof(
  fc.constant(''),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ maxLength: 8 }),
);
const address = fc.oneof(
  fc.ipV4(),
  fc.ipV6().map((ip) => ipText(ipBytes(ip))),
);
const orNone = (arbitrary: fc.Arbitrary<string>) => fc.oneof(fc.constant(''), arbitrary);
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const name = text.filter((key) => key !== '__proto__');
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.array(tie('value'), { maxLength: 2 }),
    tie('object'),
  ),
  object: fc.dictionary(name, tie('value'), { maxKeys: 2, noNullPrototype: true }),
}));

/** Values that both encodings preserve, by type name. */
const byWord: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: text,
  textbytes: text,
  base64: text,
  bool: fc.boolean(),
  int: fc.maxSafeInteger(),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  uint: fc.maxSafeNat(),
  uint8: uint(8),
  uint16: uint(16),
  uint32: uint(32),
  uint64: fc.maxSafeNat(),
  mode: uint(12),
  double: number,
  bytes: fc.uint8Array({ maxLength: 4 }).map((bytes) => Uint8Array.from(bytes)),
  // Whole milliseconds, because a double cannot represent all nanoseconds exactly.
  duration: fc.integer(),
  time: fc.option(fc.integer({ min: -2e12, max: 4e12 }), { nil: undefined }),
  ip: orNone(address),
  cidr: orNone(address.map((ip) => `${ip}/17`)),
  ipport: orNone(
    fc.tuple(address, uint(16)).map(([ip, port]) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
  ),
  mac: orNone(fc.uint8Array({ minLength: 6, maxLength: 6 }).map(macText)),
  url: text,
  object: json.object,
  // The protobuf form of an expression is empty.
  cel: fc.constant(''),
};

function macText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':');
}

function arbitraryOf({ word, fields, values }: TypeShape): fc.Arbitrary<unknown> {
  const inner = (cut: string) =>
    arbitraryOf({ word: cut, ...(fields && { fields }), ...(values && { values }) });
  if (word.endsWith('?')) return fc.option(inner(word.slice(0, -1)), { nil: undefined });
  if (word.endsWith('[]')) return fc.array(inner(word.slice(0, -2)), { maxLength: 3 });
  const map = /^map<(.*)>$/.exec(word);
  if (map) return fc.dictionary(name, inner(map[1] as string), { maxKeys: 3, noNullPrototype: true });
  if (fields !== undefined) return arbitraryOfFields(fields);
  if (values !== undefined) return arbitraryOfTexts(word, values);
  const arbitrary = byWord[word];
  if (arbitrary === undefined) throw new Error(`no arbitrary for "${word}"`);
  return arbitrary;
}

function arbitraryOfTexts(word: string, values: Readonly<Record<string, number>>): fc.Arbitrary<unknown> {
  const texts = Object.keys(values);
  if (word.endsWith('Flags')) return fc.subarray(texts);
  return fc.constantFrom(...texts, ...(Object.values(values).includes(0) ? [] : ['']));
}

function arbitraryOfFields(fields: FieldTable): fc.Arbitrary<Record<string, unknown>> {
  const model = Object.entries(fields).map(([key, { number, type }]) => [
    key,
    // Fields without a protobuf number are decoded as empty.
    number === 0 ? fc.constant(type.empty) : arbitraryOf(type.shape),
  ]);
  return fc.record(Object.fromEntries(model), { noNullPrototype: true });
}

/** Generates specs of the kind. */
function arbitrarySpec({ codec }: ResourceKind): fc.Arbitrary<unknown> {
  const { fields = {}, isBare } = codec;
  const specs = arbitraryOfFields(fields);
  return isBare === true ? specs.map(({ value }) => value) : specs;
}

/** Replaces plain scalars by their texts, as a YAML reader without types decodes them. */
function plain(value: unknown): unknown {
  if (value instanceof PlainScalar) return value.text;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

test('a spec of every kind is unchanged after encoding to protobuf and back', () => {
  for (const kind of nodeKinds) {
    const same = (spec: unknown) => assert.deepEqual(kind.codec.fromProto(kind.codec.toProto(spec)), spec);
    fc.assert(fc.property(arbitrarySpec(kind), same), { numRuns: 20 });
  }
});

test('the YAML form of every kind has the keys of its fields in order', () => {
  for (const kind of nodeKinds) {
    const { fields = {}, isBare } = kind.codec;
    const table = Object.entries(fields);
    if (isBare || table.some(([, { isInlined }]) => isInlined)) continue;
    const always = table.filter(([, { omitEmpty }]) => !omitEmpty).map(([key]) => key);
    const empty = kind.codec.fromProto(new Uint8Array());
    assert.deepEqual(Object.keys(kind.codec.toYaml(empty) as object), always, kind.type);
    const inOrder = (spec: unknown) => {
      const keys = Object.keys(kind.codec.toYaml(spec) as object);
      assert.deepEqual(
        keys,
        table.map(([key]) => key).filter((key) => keys.includes(key)),
      );
      assert.deepEqual(
        keys.filter((key) => always.includes(key)),
        always,
      );
    };
    fc.assert(fc.property(arbitrarySpec(kind), inOrder), { numRuns: 10 });
  }
});

test('the YAML text of every kind is parsed to the encoded data', () => {
  for (const kind of nodeKinds) {
    const same = (spec: unknown) => {
      const data = kind.codec.toYaml(spec);
      const read = parse(encodeYaml(data), { schema: 'failsafe' });
      assert.deepEqual(texts(read), texts(plain(data)));
    };
    fc.assert(fc.property(arbitrarySpec(kind), same), { numRuns: 5 });
  }
});

/** Converts all scalars to text, because the type that a YAML reader chooses does not matter here. */
function texts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(texts);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, texts(item)]));
}
