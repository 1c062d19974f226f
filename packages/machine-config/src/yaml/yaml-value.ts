/** A value that can be encoded as YAML. */
export type YamlValue =
  | null
  | string
  | number
  | bigint
  | boolean
  | PlainScalar
  | readonly YamlValue[]
  | YamlMap;

/** A scalar that is written unchanged and unquoted, such as a number in another notation than decimal. */
export class PlainScalar {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Keys keep their order. A key with the value `undefined` counts as missing. */
export interface YamlMap {
  readonly [key: string]: YamlValue | undefined;
}

export function isYamlMap(value: YamlValue | undefined): value is YamlMap {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof PlainScalar)
  );
}

export function isYamlList(value: YamlValue | undefined): value is readonly YamlValue[] {
  return Array.isArray(value);
}

/** Returns the entries whose values are not `undefined`. */
export function entriesOf(map: YamlMap): [string, YamlValue][] {
  return Object.entries(map).filter((entry): entry is [string, YamlValue] => entry[1] !== undefined);
}

/** Builds a map. Unlike an assignment, this keeps a key named `__proto__`. */
export function mapFromEntries(entries: Iterable<readonly [string, YamlValue]>): YamlMap {
  return Object.fromEntries(entries);
}
