import type { ValuePath } from '../effective/config-reader.ts';
import {
  entriesOf,
  isYamlList,
  isYamlMap,
  mapFromEntries,
  type YamlMap,
  type YamlValue,
} from '../yaml/yaml-value.ts';

/** The value at the path; null counts as missing. */
export function valueAt(root: YamlValue | undefined, path: ValuePath): YamlValue | undefined {
  let value = root;
  for (const part of path) {
    if (typeof part === 'number') value = isYamlList(value) ? value[part] : undefined;
    else value = isYamlMap(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value === null ? undefined : value;
}

/** Sets a value below keys of mappings, which are created where they are missing. */
export function withValue(root: YamlMap, path: ValuePath, value: YamlValue): YamlMap {
  const [key, ...rest] = path;
  if (typeof key !== 'string') throw new Error('convert: only keys of mappings can be set');
  const child = valueAt(root, [key]);
  const next = rest.length === 0 ? value : withValue(isYamlMap(child) ? child : {}, rest, value);
  if (Object.hasOwn(root, key))
    return mapFromEntries(entriesOf(root).map(([name, old]) => [name, name === key ? next : old]));
  return mapFromEntries([...entriesOf(root), [key, next]]);
}

/** Sections whose presence has a meaning, even when they are empty. */
const kept = new Set(['machine', 'cluster', 'machine.kubelet']);

/** Removes a key, and the sections around it that are empty without it. */
export function withoutValue(root: YamlMap, path: ValuePath, above = ''): YamlMap {
  const [key, ...rest] = path;
  const entries = entriesOf(root);
  if (rest.length === 0) return mapFromEntries(entries.filter(([name]) => name !== key));
  return mapFromEntries(
    entries.flatMap(([name, child]): [string, YamlValue][] => {
      if (name !== key || !isYamlMap(child)) return [[name, child]];
      const at = above === '' ? name : `${above}.${name}`;
      const left = withoutValue(child, rest, at);
      const isEmptied = entriesOf(left).length === 0 && entriesOf(child).length > 0;
      return isEmptied && !kept.has(at) ? [] : [[name, left]];
    }),
  );
}

/** Whether a value says the same as a missing one: empty text, list or mapping. */
export function isUnset(value: YamlValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (isYamlList(value)) return value.length === 0;
  return isYamlMap(value) && entriesOf(value).length === 0;
}

export function startsWith(path: ValuePath, prefix: ValuePath): boolean {
  return prefix.length <= path.length && prefix.every((part, at) => part === path[at]);
}
