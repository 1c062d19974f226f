import { isDeepStrictEqual } from 'node:util';
import { Fault } from '@nodewright/fault';
import { valueOfPlainText } from '../yaml/value-from-node.ts';
import {
  isYamlList,
  isYamlMap,
  mapFromEntries,
  PlainScalar,
  type YamlMap,
  type YamlValue,
} from '../yaml/yaml-value.ts';

/** One operation of RFC 6902. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: YamlValue }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

/**
 * Checks the structure of a list of operations.
 *
 * Source: RFC 6902, section 4.
 *
 * @throws Fault `invalid-argument` if an operation is malformed
 */
export function parseJsonPatch(value: YamlValue): JsonPatchOperation[] {
  if (!isYamlList(value)) throw new Fault('invalid-argument', 'JSON patch: not a list of operations');
  return value.map((item, at) => {
    const fail = (what: string) => new Fault('invalid-argument', `JSON patch: operation ${at + 1}: ${what}`);
    if (!isYamlMap(item)) throw fail('not an object');
    const { op, path, from } = item;
    if (typeof path !== 'string') throw fail('"path" is missing');
    if (path !== '' && !path.startsWith('/')) throw fail(`path ${JSON.stringify(path)} must begin with "/"`);
    switch (op) {
      case 'add':
      case 'replace':
      case 'test':
        if (item.value === undefined) throw fail('"value" is missing');
        return { op, path, value: item.value };
      case 'remove':
        return { op, path };
      case 'move':
      case 'copy':
        if (typeof from !== 'string') throw fail('"from" is missing');
        return { op, path, from };
      default:
        throw fail(`unknown operation ${JSON.stringify(op ?? null)}`);
    }
  });
}

/**
 * Applies operations in order and returns a new value. Beyond the standard, `replace` may set a missing key,
 * and a negative index counts from the end of a list.
 *
 * @throws Fault `invalid-argument` naming operation and path, if a path does not exist or a `test` fails
 *
 * Source: RFC 6902, RFC 6901; evanphx/json-patch: negative indices.
 */
export function applyJsonPatch(value: YamlValue, operations: readonly JsonPatchOperation[]): YamlValue {
  return operations.reduce(applyOperation, value);
}

function applyOperation(value: YamlValue, operation: JsonPatchOperation): YamlValue {
  switch (operation.op) {
    case 'add':
      return add(value, pointer(operation.path), operation.value, operation);
    case 'remove':
      return remove(value, pointer(operation.path), operation);
    case 'replace': {
      const tokens = pointer(operation.path);
      // As in `evanphx/json-patch`, `replace` may set a missing key of an object, but not a missing list
      // element.
      if (!isYamlMap(valueAt(value, tokens.slice(0, -1), operation))) valueAt(value, tokens, operation);
      return replace(value, tokens, operation.value);
    }
    case 'copy':
      return add(
        value,
        pointer(operation.path),
        valueAt(value, pointer(operation.from), operation),
        operation,
      );
    case 'move': {
      if (operation.path.startsWith(`${operation.from}/`))
        throw patchFault(operation, 'cannot move a value into itself');
      const moved = valueAt(value, pointer(operation.from), operation);
      return add(
        remove(value, pointer(operation.from), operation),
        pointer(operation.path),
        moved,
        operation,
      );
    }
    default:
      if (
        isDeepStrictEqual(normal(valueAt(value, pointer(operation.path), operation)), normal(operation.value))
      )
        return value;
      throw patchFault(operation, 'the value is different');
  }
}

/** Normalizes a value for a comparison: key order does not matter, and `0x10` equals 16. */
function normal(value: YamlValue): unknown {
  if (value instanceof PlainScalar) return valueOfPlainText(value.text);
  if (isYamlList(value)) return value.map(normal);
  return isYamlMap(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normal(item ?? null)]))
    : value;
}

function pointer(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Parses a token as an index below `count`; a negative index counts from the end. Returns -1 if invalid. */
function positionAmong(count: number, token: string): number {
  if (!/^(?:0|-?[1-9]\d*)$/.test(token)) return -1;
  const at = Number(token) < 0 ? Number(token) + count : Number(token);
  return at < count ? Math.max(at, -1) : -1;
}

function indexIn(list: readonly YamlValue[], token: string): number {
  return positionAmong(list.length, token);
}

function childOf(value: YamlValue, token: string): YamlValue | undefined {
  if (isYamlList(value)) return value[indexIn(value, token)];
  return isYamlMap(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}

function valueAt(value: YamlValue, tokens: readonly string[], operation: JsonPatchOperation): YamlValue {
  let found: YamlValue | undefined = value;
  for (const token of tokens) {
    found = childOf(found, token);
    if (found === undefined) throw patchFault(operation, 'the path does not exist');
  }
  return found;
}

function replace(value: YamlValue, tokens: readonly string[], replacement: YamlValue): YamlValue {
  const [token, ...deeper] = tokens;
  if (token === undefined) return replacement;
  const child = replace(childOf(value, token) as YamlValue, deeper, replacement);
  return isYamlList(value)
    ? value.with(indexIn(value, token), child)
    : withKey(value as YamlMap, token, child);
}

function add(
  value: YamlValue,
  tokens: readonly string[],
  added: YamlValue,
  operation: JsonPatchOperation,
): YamlValue {
  const token = tokens.at(-1);
  if (token === undefined) return added;
  const parentTokens = tokens.slice(0, -1);
  const parent = valueAt(value, parentTokens, operation);
  if (isYamlMap(parent)) return replace(value, parentTokens, withKey(parent, token, added));
  if (!isYamlList(parent)) throw patchFault(operation, 'the parent is neither an object nor a list');
  const at = token === '-' ? parent.length : positionAmong(parent.length + 1, token);
  if (at < 0)
    throw patchFault(operation, `${JSON.stringify(token)} is not a position in a list of ${parent.length}`);
  return replace(value, parentTokens, parent.toSpliced(at, 0, added));
}

function remove(value: YamlValue, tokens: readonly string[], operation: JsonPatchOperation): YamlValue {
  valueAt(value, tokens, operation);
  const token = tokens.at(-1);
  if (token === undefined) throw patchFault(operation, 'the whole document cannot be removed');
  const parentTokens = tokens.slice(0, -1);
  const parent = valueAt(value, parentTokens, operation);
  if (isYamlList(parent)) return replace(value, parentTokens, parent.toSpliced(indexIn(parent, token), 1));
  const entries = Object.entries(parent as YamlMap).filter(([key]) => key !== token);
  return replace(value, parentTokens, mapFromEntries(entries as [string, YamlValue][]));
}

function withKey(map: YamlMap, key: string, value: YamlValue): YamlMap {
  const entries = Object.entries(map) as [string, YamlValue][];
  const at = entries.findIndex(([name]) => name === key);
  return mapFromEntries(at < 0 ? [...entries, [key, value]] : entries.with(at, [key, value]));
}

function patchFault(operation: JsonPatchOperation, what: string): Fault {
  const path = JSON.stringify(operation.path);
  const where = 'from' in operation ? `${JSON.stringify(operation.from)} to ${path}` : path;
  return new Fault('invalid-argument', `JSON patch: ${operation.op} ${where}: ${what}`);
}
