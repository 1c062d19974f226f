import { parse } from 'yaml';

/** The value of a YAML document. An integer outside of ±(2^53 - 1) is a bigint, so that no digit is lost. */
export type YamlValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly YamlValue[]
  | { readonly [key: string]: YamlValue };

/** Parses the YAML text of a spec. @throws YAMLParseError when the text is not valid YAML */
export function parseYamlValue(text: string): YamlValue {
  const value: unknown = parse(text, { intAsBigInt: true });
  return withNumbers(value);
}

function withNumbers(value: unknown): YamlValue {
  if (typeof value === 'bigint') return isExact(value) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'object' || value === null) return (value ?? null) as YamlValue;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withNumbers(each)]));
}

const isExact = (value: bigint) =>
  value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER);
