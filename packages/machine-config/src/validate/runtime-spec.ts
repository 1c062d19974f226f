import { integerRanges } from '../decode/decode-scalar.ts';
import { isYamlList, isYamlMap, type YamlValue } from '../yaml/yaml-value.ts';
import type { CheckedDocument } from './checked-document.ts';
import { type IntegerName, runtimeSpec, type SpecShape } from './runtime-spec-shape.ts';

type Path = readonly (string | number)[];

/**
 * Checks that known keys of the overrides have the types of the runtime specification. Unknown keys are
 * ignored.
 */
export function checkRuntimeSpec(document: CheckedDocument, ...path: string[]): void {
  for (const [where, wanted] of misfits(document.map(...path), runtimeSpec, path))
    document.refuse(`must be ${wanted} in a runtime specification`, ...where);
}

function* misfits(value: YamlValue | undefined, shape: SpecShape, path: Path): Generator<[Path, string]> {
  if (value === undefined || value === null) return;
  if (typeof shape === 'string') {
    if (!fitsScalar(value, shape)) yield [path, scalarWords[shape]];
  } else if ('list' in shape) {
    if (!isYamlList(value)) yield [path, 'a list'];
    else for (const [at, item] of value.entries()) yield* misfits(item, shape.list, [...path, at]);
  } else if (!isYamlMap(value)) {
    yield [path, 'an object'];
  } else {
    for (const [key, item] of Object.entries(value)) {
      const part = 'map' in shape ? shape.map : partOf(shape.parts, key);
      if (part !== undefined) yield* misfits(item, part, [...path, key]);
    }
  }
}

/** Compares keys case-insensitively, like the JSON decoder of Go. */
function partOf(parts: Readonly<Record<string, SpecShape>>, key: string): SpecShape | undefined {
  const lower = key.toLowerCase();
  const known = Object.keys(parts).find((name) => name.toLowerCase() === lower);
  return known === undefined ? undefined : parts[known];
}

const scalarWords = {
  text: 'a text',
  bool: 'a boolean',
  int: 'a whole number',
  uint16: 'a whole number from 0 to 2^16 - 1',
  uint32: 'a whole number from 0 to 2^32 - 1',
  uint64: 'a whole number from 0 to 2^64 - 1',
} as const;

function fitsScalar(value: YamlValue, shape: 'text' | 'bool' | IntegerName): boolean {
  if (shape === 'text') return typeof value === 'string';
  if (shape === 'bool') return typeof value === 'boolean';
  if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isInteger(value))) return false;
  const [low, high] = integerRanges[shape];
  return BigInt(value) >= low && BigInt(value) <= high;
}
