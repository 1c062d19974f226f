import { Fault } from '@nodewright/fault';
import type { ConfigDocument } from '../config-document.ts';
import { documentSchema } from '../schema/document-schema.ts';
import type { FieldMap } from '../schema/parse-schema.ts';
import { type ConfigNode, formatPosition, type MapNode } from '../yaml/config-node.ts';
import {
  entriesOf,
  isYamlList,
  isYamlMap,
  mapFromEntries,
  type YamlMap,
  type YamlValue,
} from '../yaml/yaml-value.ts';

/**
 * The meaning of one `$patch: delete` in a patch document. With any other value, `$patch` is an ordinary key.
 */
export type DeleteDirective =
  | { readonly kind: 'delete-document' }
  | { readonly kind: 'delete-key'; readonly path: readonly string[] }
  /** Deletes the first element of the list at `path` whose `key` equals `value`. */
  | {
      readonly kind: 'delete-element';
      readonly path: readonly string[];
      readonly key: string;
      readonly value: string;
    };

export interface SeparatedPatch {
  readonly directives: readonly DeleteDirective[];
  /** The document without its directives; `undefined` when nothing remains to merge. */
  readonly rest: MapNode | undefined;
}

const marker = '$patch';
const identityKeys = ['apiVersion', 'kind', 'name', 'version'];

/**
 * Extracts the deletions from a patch document.
 *
 * @throws Fault `invalid-argument` if a deletion is incomplete or at an unsupported place
 *
 * Source: Talos v1.14: machine configuration, patches, `$patch: delete`.
 */
export function separateDeletions(root: MapNode): SeparatedPatch {
  if (isDeletion(root)) {
    for (const key of ['apiVersion', 'kind']) {
      if (!root.entries.has(key)) throw directiveFault(root, `a document to delete needs ${key}`);
    }
    return { directives: [{ kind: 'delete-document' }], rest: undefined };
  }
  const directives: DeleteDirective[] = [];
  const rest = separateMap(root, [], directives);
  const isSpent =
    directives.length > 0 && [...rest.entries.keys()].every((key) => identityKeys.includes(key));
  return { directives, rest: isSpent ? undefined : rest };
}

function separateMap(node: MapNode, path: readonly string[], directives: DeleteDirective[]): MapNode {
  const entries = new Map<string, ConfigNode>();
  for (const [key, child] of node.entries) {
    const found = directives.length;
    const kept = separateChild(child, [...path, key], directives);
    const isEmptied = directives.length > found && isEmptyNode(kept);
    if (kept !== undefined && !isEmptied) entries.set(key, kept);
  }
  return { ...node, entries };
}

function separateChild(
  node: ConfigNode,
  path: readonly string[],
  directives: DeleteDirective[],
): ConfigNode | undefined {
  if (node.kind === 'scalar') return node;
  if (node.kind === 'map') {
    if (!isDeletion(node)) return separateMap(node, path, directives);
    directives.push({ kind: 'delete-key', path });
    return undefined;
  }
  const items = node.items.filter((item) => {
    if (item.kind !== 'map') return true;
    if (!isDeletion(item)) {
      refuseDeeper(item, path);
      return true;
    }
    const [key, value] = [...item.entries].find(([name]) => name !== marker) ?? [];
    if (key === undefined || value?.kind !== 'scalar')
      throw directiveFault(item, 'an element to delete needs one key that identifies it');
    directives.push({ kind: 'delete-element', path, key, value: value.text });
    return false;
  });
  return { ...node, items };
}

function refuseDeeper(node: ConfigNode, path: readonly string[]): void {
  const children = node.kind === 'map' ? [...node.entries.values()] : node.kind === 'list' ? node.items : [];
  for (const child of children) {
    if (child.kind === 'map' && isDeletion(child)) {
      throw directiveFault(
        child,
        `deleting inside an element of the list ${path.join('.')} is not supported`,
      );
    }
    refuseDeeper(child, path);
  }
}

function isDeletion(node: MapNode): boolean {
  const directive = node.entries.get(marker);
  return directive?.kind === 'scalar' && directive.text === 'delete';
}

function isEmptyNode(node: ConfigNode | undefined): boolean {
  return (
    (node?.kind === 'map' && node.entries.size === 0) || (node?.kind === 'list' && node.items.length === 0)
  );
}

function directiveFault(node: ConfigNode, what: string): Fault {
  return new Fault('invalid-argument', `patch, ${formatPosition(node)}: ${what}`);
}

/**
 * Applies the deletions inside one document and ignores a deletion of the document itself. Deleting a known
 * field that is not set changes nothing, if the object that holds the field exists.
 *
 * @throws Fault `not-found` naming the path that does not exist
 */
export function deleteInside(
  document: ConfigDocument,
  directives: readonly DeleteDirective[],
): ConfigDocument {
  const fields = documentSchema(document.kind)?.fields ?? new Map();
  let value = document.value;
  for (const directive of directives) {
    if (directive.kind === 'delete-document') continue;
    const where = directive.path.join('.');
    if (directive.kind === 'delete-key' && isUnsetField(value, directive.path, fields)) continue;
    value = changeAt(
      value,
      directive.path,
      (found) => {
        if (directive.kind === 'delete-key') return undefined;
        return withoutElement(found, directive, where);
      },
      where,
    );
  }
  // Drop the origin: the source text no longer matches the value.
  return { kind: document.kind, value };
}

/**
 * Whether the path names a known field that is not set, in an object that exists. An object that only groups
 * fields always exists. Keys of maps and of free-form objects are no fields.
 */
function isUnsetField(value: YamlMap, path: readonly string[], fields: FieldMap): boolean {
  const [key, ...deeper] = path as [string, ...string[]];
  const field = fields.get(key);
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  if (field === undefined) return false;
  if (deeper.length === 0) return found === undefined || found === null;
  if (field.type !== 'obj') return false;
  const isGroup = field.isOmittedWhenEmpty || (field.isAlwaysWritten && field.missingText === undefined);
  if (isYamlMap(found)) return isUnsetField(found, deeper, field.fields);
  return isGroup && isUnsetField({}, deeper, field.fields);
}

function changeAt(
  value: YamlMap,
  path: readonly string[],
  change: (found: YamlValue) => YamlValue | undefined,
  where: string,
): YamlMap {
  const [key, ...deeper] = path as [string, ...string[]];
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  if (found === undefined || (deeper.length > 0 && !isYamlMap(found))) throw lookupFault(where);
  const changed = deeper.length > 0 ? changeAt(found as YamlMap, deeper, change, where) : change(found);
  const entries = entriesOf(value).flatMap(([name, item]): [string, YamlValue][] => {
    if (name !== key) return [[name, item]];
    return changed === undefined ? [] : [[name, changed]];
  });
  return mapFromEntries(entries);
}

function withoutElement(
  found: YamlValue,
  { key, value }: { key: string; value: string },
  where: string,
): YamlValue {
  const at = isYamlList(found)
    ? found.findIndex((item) => isYamlMap(item) && item[key] !== undefined && String(item[key]) === value)
    : -1;
  if (!isYamlList(found) || at < 0) throw lookupFault(`${where}[${key}=${value}]`);
  return found.filter((_, index) => index !== at);
}

function lookupFault(where: string): Fault {
  return new Fault('not-found', `failed to delete path '${where}': lookup failed`);
}
