/** A value as it is written to YAML. */
export type YamlValue =
  | null
  | string
  | number
  | bigint
  | boolean
  | PlainScalar
  | readonly YamlValue[]
  | YamlMap;

/** Written as it stands: a number in another notation than the decimal one. */
export class PlainScalar {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Keys keep their order. A key whose value is undefined is not there. */
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

/** The keys that are there, with their values. */
export function entriesOf(map: YamlMap): [string, YamlValue][] {
  return Object.entries(map).filter((entry): entry is [string, YamlValue] => entry[1] !== undefined);
}

/** Unlike an assignment this also keeps a key named `__proto__`. */
export function mapFromEntries(entries: Iterable<readonly [string, YamlValue]>): YamlMap {
  return Object.fromEntries(entries);
}
