import { isDeepStrictEqual } from 'node:util';
import { Fault } from '@nodewright/fault';
import type { FieldMap, FieldSchema } from '../schema/parse-schema.ts';
import {
  entriesOf,
  isYamlList,
  isYamlMap,
  mapFromEntries,
  type YamlMap,
  type YamlValue,
} from '../yaml/yaml-value.ts';
import { mergeUrl } from './merge-url.ts';

/**
 * Merges a patch into a document of the same kind. Objects and maps are merged by key and lists are appended,
 * unless the schema says otherwise for a field. Zero values (empty text, 0) do not override; a boolean that
 * is set does.
 *
 * @throws Fault `invalid-argument` naming the path where the values cannot be merged
 *
 * Source: Talos v1.14: machine configuration, strategic merge.
 */
export function mergeFields(base: YamlMap, patch: YamlMap, fields: FieldMap, path = ''): YamlMap {
  const merged = new Map(entriesOf(base));
  for (const field of fields.values()) {
    const left = merged.get(field.name);
    const right = patch[field.name];
    const result = mergeField(left, right, field, path === '' ? field.name : `${path}.${field.name}`);
    if (result === undefined) merged.delete(field.name);
    else merged.set(field.name, result);
  }
  return mapFromEntries(merged);
}

function mergeField(
  left: YamlValue | undefined,
  right: YamlValue | undefined,
  field: FieldSchema,
  path: string,
): YamlValue | undefined {
  if (field.isClearedByAbsence) return right;
  if (right === undefined || right === null) return clearAbsent(left, field, path);
  // An empty free-form object counts as not given.
  if (field.type === 'free' && isYamlMap(right) && entriesOf(right).length === 0) return left ?? right;
  if (field.isReplaced) return right;
  switch (field.type) {
    case 'obj':
      return mergeFields(asMap(left), asMap(right), field.fields, path);
    case 'map':
      return mergeMaps(asMap(left), asMap(right), (a, b, key) =>
        mergeFields(asMap(a), asMap(b), field.fields, `${path}.${key}`),
      );
    case 'map:str':
      return mergeMaps(asMap(left), asMap(right), (a, b) => (b === '' ? a : b));
    case 'map:bool':
    case 'args':
      return mergeMaps(asMap(left), asMap(right), (_, b) => b);
    case 'list':
      return mergeLists(asList(left), asList(right), field, path);
    case 'strs':
    case 'enums':
    case 'ips':
    case 'prefixes':
    case 'ints':
    case 'ports':
    case 'frees':
      return [...asList(left), ...asList(right)];
    case 'free':
      return mergeFree(left, right, path);
    case 'url':
      return typeof left === 'string' && typeof right === 'string' ? mergeUrl(left, right) : right;
    case 'bool':
      return right === false && field.isOmittedWhenEmpty ? left : right;
    default:
      return mergeScalar(left, right, field, path);
  }
}

/**
 * When a patch changes a document but does not set this object, fields that are cleared by absence are still
 * cleared.
 */
function clearAbsent(left: YamlValue | undefined, field: FieldSchema, path: string): YamlValue | undefined {
  if (field.type !== 'obj' || !isYamlMap(left) || !hasClearedFields(field.fields)) return left;
  return mergeFields(left, {}, field.fields, path);
}

function hasClearedFields(fields: FieldMap): boolean {
  return [...fields.values()].some((field) => field.isClearedByAbsence || hasClearedFields(field.fields));
}

function mergeScalar(
  left: YamlValue | undefined,
  right: YamlValue,
  field: FieldSchema,
  path: string,
): YamlValue | undefined {
  if (path === 'machine.install.diskSelector.size' && left) {
    throw new Fault(
      'invalid-argument',
      `${path} cannot be merged: both the configuration and the patch set it`,
    );
  }
  if (field.keepsZero && right !== '') return right;
  const isZero =
    right === '' ||
    right === field.missingText ||
    right === 0 ||
    right === 0n ||
    (field.type === 'dur' && right === '0s');
  return isZero ? left : right;
}

function mergeMaps(
  left: YamlMap,
  right: YamlMap,
  merge: (left: YamlValue, right: YamlValue, key: string) => YamlValue,
): YamlMap {
  const merged = new Map(entriesOf(left));
  for (const [key, value] of entriesOf(right)) {
    const existing = merged.get(key);
    merged.set(key, existing === undefined ? value : merge(existing, value, key));
  }
  return mapFromEntries(merged);
}

function mergeLists(
  left: readonly YamlValue[],
  right: readonly YamlValue[],
  field: FieldSchema,
  path: string,
): readonly YamlValue[] {
  const merged = [...left];
  for (const element of right) {
    // An element of the patch never replaces another one of the same patch.
    const candidates = field.replacesElements ? merged.slice(0, left.length) : merged;
    const at = candidates.findIndex((candidate) => belongTogether(candidate, element, field.elementKeys));
    if (at < 0) merged.push(element);
    else if (field.replacesElements) merged[at] = element;
    else merged[at] = mergeFields(asMap(merged[at]), asMap(element), field.fields, `${path}[${at}]`);
  }
  return merged;
}

/**
 * Whether two list elements have the same identity. The first key that the patch element sets is compared. A
 * selector with `physical` matches no other.
 */
function belongTogether(candidate: YamlValue, element: YamlValue, keys: readonly string[]): boolean {
  if (!isYamlMap(candidate) || !isYamlMap(element)) return false;
  const key = keys.find((name) => element[name] !== undefined && element[name] !== '');
  if (key === undefined) return false;
  const value = element[key];
  if (isYamlMap(value) && value.physical !== undefined) return false;
  return isDeepStrictEqual(candidate[key], value);
}

function mergeFree(left: YamlValue | undefined, right: YamlValue, path: string): YamlValue {
  if (left === undefined || left === null) return right;
  if (right === null) return left;
  if (isYamlMap(left) && isYamlMap(right)) {
    return mergeMaps(left, right, (a, b, key) => mergeFree(a, b, `${path}.${key}`));
  }
  if (isYamlList(left) && isYamlList(right)) return [...left, ...right];
  if (shapeOf(left) !== shapeOf(right)) {
    throw new Fault('invalid-argument', `${path}: cannot merge ${shapeOf(right)} into ${shapeOf(left)}`);
  }
  return right === '' || right === 0 || right === 0n ? left : right;
}

function shapeOf(value: YamlValue): string {
  if (isYamlList(value)) return 'a list';
  if (isYamlMap(value)) return 'a mapping';
  if (typeof value === 'boolean') return 'a boolean';
  return typeof value === 'string' ? 'a text' : 'a number';
}

function asMap(value: YamlValue | undefined): YamlMap {
  return isYamlMap(value) ? value : {};
}

function asList(value: YamlValue | undefined): readonly YamlValue[] {
  return isYamlList(value) ? value : [];
}
