// Random specs of any kind, for tests.
import fc from 'fast-check';
import type { ResourceKind } from '../meta/define-kind.ts';
import type { FieldTable } from '../spec/field.ts';
import type { TypeShape } from '../spec/field-type.ts';
import { ipBytes, ipText } from '../spec/ip-text.ts';

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

/** Values that both forms of a spec tell completely, by the word of their type. */
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
  // Milliseconds without fractions: those with nanoseconds are of no more precision than a double has.
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
  // Its message is left empty.
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
    // What typed clients do not see they find empty.
    number === 0 ? fc.constant(type.empty) : arbitraryOf(type.shape),
  ]);
  return fc.record(Object.fromEntries(model), { noNullPrototype: true });
}

/** Specs of this kind. */
export function arbitrarySpec({ codec }: ResourceKind): fc.Arbitrary<unknown> {
  const { fields = {}, isBare } = codec;
  const specs = arbitraryOfFields(fields);
  return isBare === true ? specs.map(({ value }) => value) : specs;
}
