import fc from 'fast-check';
import { formatDuration } from '../decode/duration.ts';
import type { YamlMap, YamlValue } from '../yaml/yaml-value.ts';
import { documentSchema } from './document-schema.ts';
import type { FieldMap, FieldSchema } from './parse-schema.ts';

// Generates documents of any kind from the schema, for property tests.

/** Non-empty strings, including strings that look like other types. */
const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ minLength: 1, unit: 'grapheme' }) },
  { weight: 1, arbitrary: fc.string({ minLength: 1, unit: 'binary' }) },
  fc.constantFrom(
    'yes',
    'null',
    '~',
    '1',
    '0x1f',
    '1e3',
    '- a',
    'a: b',
    '# a',
    ' a ',
    'a\n',
    'a\n b\n\n',
    '"',
    '---',
    '=',
    '<<',
  ),
);

const address = fc.oneof(fc.ipV4(), fc.ipV6());
const prefix = fc.oneof(
  fc.tuple(fc.ipV4(), fc.nat(32)).map((parts) => parts.join('/')),
  fc.tuple(fc.ipV6(), fc.nat(128)).map((parts) => parts.join('/')),
);

const key = fc.oneof(text, fc.constantFrom('a', 'b10', 'b9', '__proto__', 'a'.repeat(140)));

/** Free-form objects. */
const free = fc.dictionary(
  key,
  fc.letrec<{ value: YamlValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.boolean(),
      fc.integer(),
      fc
        .double({ noNaN: true })
        // Integers beyond 2^53 are decoded as bigint.
        .filter((number) => !Number.isInteger(number) || Number.isSafeInteger(number))
        .map((number) => (Object.is(number, -0) ? 0 : number)),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 3 }),
    ),
  })).value,
  { minKeys: 1, maxKeys: 4 },
);

/** Generates the value of a document. Every field may be missing; a field that is set is not empty. */
export function arbitraryDocument(kind: string): fc.Arbitrary<YamlMap> {
  const schema = documentSchema(kind);
  if (!schema) throw new Error(`no schema for ${kind}`);
  return arbitraryFields(schema.fields);
}

function arbitraryFields(fields: FieldMap): fc.Arbitrary<YamlMap> {
  const parts = Object.fromEntries([...fields.values()].map((field) => [field.name, arbitraryValue(field)]));
  return fc.record(parts, { requiredKeys: [] }).map((record) => ({ ...record }));
}

const limits: Readonly<Record<string, number>> = {
  uint8: 2 ** 8 - 1,
  uint16: 2 ** 16 - 1,
  uint32: 2 ** 32 - 1,
};

function arbitraryValue(field: FieldSchema): fc.Arbitrary<YamlValue> {
  switch (field.type) {
    case 'bool':
      return fc.boolean();
    case 'int':
      return fc.integer({ min: 1 });
    case 'uint8':
    case 'uint16':
    case 'uint32':
      return fc.integer({ min: 1, max: limits[field.type] ?? 1 });
    case 'uint64':
      return fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map((number) => {
        const small = Number(number);
        return Number.isSafeInteger(small) ? small : number;
      });
    case 'mode':
      return fc.integer({ min: 1, max: 0o7777 });
    case 'dur':
      return fc.bigInt({ min: 1n, max: 2n ** 62n }).map(formatDuration);
    case 'mac':
      return fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 6, maxLength: 6 }).map(hexadecimal);
    case 'size':
      return fc.oneof(fc.integer({ min: 1 }), fc.constantFrom('10GiB', '512 MB'));
    case 'enum':
      // The value of an unset field is not encoded below objects that only group fields.
      return fc.constantFrom(
        ...field.values.filter((value) => value !== field.missingText || field.values.length === 1),
      );
    case 'enums':
      return fc.array(fc.constantFrom(...field.values), { minLength: 1, maxLength: 3 });
    case 'table':
      return fc.oneof(
        fc.integer({ min: 1, max: 252 }).map(String),
        fc.constantFrom('default', 'main', 'local'),
      );
    case 'ports':
      return fc.array(fc.oneof(fc.integer({ min: 1, max: 65535 }), fc.constant('80-90')), { minLength: 1 });
    case 'ip':
      return address;
    case 'prefix':
      return prefix;
    case 'manifest':
      return text.map((contents) => contents.replace(/^[\t\n\v\f\r]+/, '') || 'a');
    case 'ips':
      return fc.array(address, { minLength: 1, maxLength: 3 });
    case 'prefixes':
      return fc.array(prefix, { minLength: 1, maxLength: 3 });
    case 'bytes':
      return fc.constantFrom('4096', '10GiB', '1.5 MB');
    case 'limit':
      return fc.constantFrom('4096', '10GiB', '25%', '-5GiB');
    case 'strs':
      return fc.array(text, { minLength: 1, maxLength: 3 });
    case 'ints':
      return fc.array(fc.integer(), { minLength: 1, maxLength: 3 });
    case 'obj':
      return arbitraryFields(field.fields);
    case 'list':
      return fc.array(arbitraryFields(field.fields), { minLength: 1, maxLength: 2 });
    case 'map':
      return fc.dictionary(key, arbitraryFields(field.fields), { minKeys: 1, maxKeys: 2 });
    case 'map:str':
      return fc.dictionary(key, text, { minKeys: 1, maxKeys: 3 });
    case 'map:bool':
      return fc.dictionary(key, fc.boolean(), { minKeys: 1, maxKeys: 3 });
    case 'args':
      return fc.dictionary(key, fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 3 })), {
        minKeys: 1,
        maxKeys: 3,
      });
    case 'free':
      return free;
    case 'frees':
      return fc.array(free, { minLength: 1, maxLength: 2 });
    default:
      return text;
  }
}

function hexadecimal(bytes: readonly number[]): string {
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}
