// Reads specs that people or other programs have written as YAML, such as the network configuration in META.
import { isIP } from 'node:net';
import { EnumerationType } from './enumeration-types.ts';
import type { Field, FieldTable, SpecOfFields } from './field.ts';
import type { FieldType, TypeShape } from './field-type.ts';

/** What is wrong with a value, and where it is. */
export class SpecProblem extends Error {}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The largest values of the integers that have a limit. */
const largest: Readonly<Record<string, number>> = { uint8: 255, uint16: 65_535, uint32: 4_294_967_295 };
const isLength = (text: string, most: number) => /^\d{1,3}$/.test(text) && Number(text) <= most;

/** By the words of types. A value that is not as these say is refused with the sentence. */
const plainTypes: Readonly<Record<string, readonly [is: (value: unknown) => boolean, what: string]>> = {
  bool: [(value) => typeof value === 'boolean', 'true or false'],
  string: [isText, 'a text'],
  ip: [(value) => value === '' || (isText(value) && isIP(value) !== 0 && !value.includes('%')), 'an address'],
  cidr: [isPrefix, 'an address with a prefix length'],
  mac: [(value) => isText(value) && /^(?:[0-9a-f]{2}(?::[0-9a-f]{2})*)?$/i.test(value), 'a hardware address'],
};

/** Also of what is read as text later: a list of one text looks like that text where it is converted. */
function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isPrefix(value: unknown): boolean {
  if (value === '') return true;
  if (!isText(value)) return false;
  const [address = '', length = '', ...more] = value.split('/');
  const family = isIP(address);
  return (
    more.length === 0 && family !== 0 && !address.includes('%') && isLength(length, family === 4 ? 32 : 128)
  );
}

/**
 * A spec from the value of a YAML document. Fields that are missing or null are empty, and unknown ones are ignored.
 *
 * @param path of the value, for messages such as `links[0].mtu must be a number up to 4294967295`
 * @throws SpecProblem for the first value of another type, and for types that no such document has
 */
export function specFromYaml<F extends FieldTable>(fields: F, value: unknown, path: string): SpecOfFields<F> {
  if (!isMap(value)) throw new SpecProblem(`${path || 'it'} must be a mapping`);
  const spec: Record<string, unknown> = {};
  for (const [key, { type, isInlined }] of Object.entries(fields) as [string, Field<unknown>][]) {
    const at = path === '' ? key : `${path}.${key}`;
    const given = isInlined === true ? value : Object.hasOwn(value, key) ? value[key] : undefined;
    spec[key] = given === undefined || given === null ? type.empty : decoded(type, type.shape, given, at);
  }
  return spec as SpecOfFields<F>;
}

function decoded(type: FieldType<unknown>, shape: TypeShape, value: unknown, path: string): unknown {
  const { word, fields, values } = shape;
  if (word.endsWith('?')) return decoded(type, { ...shape, word: word.slice(0, -1) }, value, path);
  if (word.endsWith('[]')) {
    if (!Array.isArray(value)) throw new SpecProblem(`${path} must be a list`);
    const item = { ...shape, word: word.slice(0, -2) };
    return value.map((each, index) => decoded(type, item, each, `${path}[${index}]`));
  }
  if (fields !== undefined && !word.startsWith('map<')) return specFromYaml(fields, value, path);
  if (values !== undefined) return wordsOf(type, values, value, path);
  if (/^u?int/.test(word)) return integerOf(word, value, path);
  const plain = plainTypes[word];
  if (plain === undefined) throw new SpecProblem(`${path} is not supported here`);
  const [is, what] = plain;
  if (!is(value)) throw new SpecProblem(`${path} must be ${what}`);
  return value;
}

function integerOf(word: string, value: unknown, path: string): number {
  const most = largest[word] ?? Number.MAX_SAFE_INTEGER;
  const least = word.startsWith('u') ? 0 : -most;
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most)
    return value as number;
  throw new SpecProblem(`${path} must be a whole number from ${least} to ${most}`);
}

/** One name, or for flags several with commas. An open enumeration also takes a number. */
function wordsOf(
  type: FieldType<unknown>,
  values: Readonly<Record<string, number>>,
  value: unknown,
  path: string,
): unknown {
  const refuse = () => new SpecProblem(`${path} must be one of ${Object.keys(values).join(', ')}`);
  if (!(type instanceof EnumerationType)) {
    const flags = String(value)
      .split(',')
      .filter((flag) => flag !== '');
    if (!flags.every((flag) => Object.hasOwn(values, flag))) throw refuse();
    return Object.keys(values).filter((flag) => flags.includes(flag));
  }
  const text = String(value);
  if (text === '') return type.empty;
  if (Object.hasOwn(values, text)) return text;
  if (!/^\d{1,10}$/.test(text)) throw refuse();
  try {
    return type.textOf(Number(text));
  } catch {
    throw refuse();
  }
}
