import { Fault } from '@nodewright/fault';
import type { ConfigDocument } from '../config-document.ts';
import { documentSchema, documentVersion, legacyKind } from '../schema/document-schema.ts';
import type { FieldMap, FieldSchema } from '../schema/parse-schema.ts';
import type { ConfigNode, MapNode, ScalarNode } from '../yaml/config-node.ts';
import { isNullNode } from '../yaml/config-node.ts';
import { encodeYaml } from '../yaml/encode-yaml.ts';
import { valueFromNode } from '../yaml/value-from-node.ts';
import { mapFromEntries, type YamlMap, type YamlValue } from '../yaml/yaml-value.ts';
import { decodeScalar, isScalarProblem } from './decode-scalar.ts';

/** Top-level keys of the legacy document that stand for its missing `apiVersion`. */
const legacyKeys = ['machine', 'cluster', 'debug', 'persist'];

/** Which document a mapping is. */
export interface DocumentIdentity {
  readonly kind: string;
  /** Empty for kinds without a name. */
  readonly name: string;
}

/**
 * Finds out which document this is. Throws `invalid-argument` when it cannot be told.
 *
 * Source: Talos v1.14: machine configuration, decoding rules 2 and 3.
 */
export function identifyDocument(root: MapNode): DocumentIdentity {
  const text = (key: string) => {
    const node = root.entries.get(key);
    return node?.kind === 'scalar' ? node.text : '';
  };
  const kind = text('kind');
  const isLegacy = legacyKeys.some((key) => root.entries.has(key));
  const version = text('apiVersion') || (isLegacy ? documentVersion : '');
  if (kind === '' && version === documentVersion) return { kind: legacyKind, name: '' };
  if (kind === '') throw new Fault('invalid-argument', 'missing kind');
  if (version === '') throw new Fault('invalid-argument', 'missing apiVersion');
  const schema = kind === legacyKind ? undefined : documentSchema(kind);
  if (!schema || version !== documentVersion) {
    throw new Fault('invalid-argument', `${JSON.stringify(kind)} ${JSON.stringify(version)}: not registered`);
  }
  return { kind, name: schema.isNamed ? text('name') : '' };
}

/**
 * Decodes one document against the schema of its kind: scalars become what their fields hold, null means not
 * mentioned. Values that do not fit and keys that do not exist are `invalid-argument`; the former win, and all of one
 * sort are named in one text.
 *
 * Source: Talos v1.14: machine configuration, decoding rules 4, 5 and 7.
 */
export function decodeDocument(root: MapNode): ConfigDocument {
  const { kind, name } = identifyDocument(root);
  const schema = documentSchema(kind);
  if (!schema) throw new Fault('invalid-argument', `${JSON.stringify(kind)}: not registered`);
  const decoder = new Decoder();
  const known = kind === legacyKind ? ['apiVersion'] : ['apiVersion', 'kind'];
  const body: MapNode = {
    ...root,
    entries: new Map([...root.entries].filter(([key]) => !known.includes(key))),
  };
  const value = decoder.fields(body, schema.fields);
  const problem = decoder.problem(value.unknown);
  if (problem !== undefined) {
    throw new Fault(
      'invalid-argument',
      `error decoding document ${documentVersion}/${kind}/${name} (line ${root.line}): ${problem}`,
    );
  }
  return { kind, value: value.known };
}

interface Decoded<T> {
  readonly known: T;
  /** The part of the tree that no field consumed. */
  readonly unknown?: YamlValue;
}

class Decoder {
  readonly #problems: string[] = [];

  problem(unknown: YamlValue | undefined): string | undefined {
    if (this.#problems.length > 0) return `yaml: construct errors:\n${this.#problems.join('\n')}`;
    if (unknown !== undefined) return `unknown keys found during decoding:\n${encodeYaml(unknown)}`;
    return undefined;
  }

  fields(node: MapNode, fields: FieldMap): Decoded<YamlMap> {
    const known: [string, YamlValue][] = [];
    const unknown: [string, YamlValue][] = [];
    for (const [key, child] of node.entries) {
      const field = fields.get(key);
      if (!field) {
        unknown.push([key, sortKeys(valueFromNode(child))]);
        continue;
      }
      if (isNullNode(child)) continue;
      const decoded = this.#field(child, field);
      if (decoded.known !== undefined) known.push([key, decoded.known]);
      if (decoded.unknown !== undefined) unknown.push([key, decoded.unknown]);
    }
    return { known: mapFromEntries(known), ...unknownPart(unknown) };
  }

  #field(node: ConfigNode, field: FieldSchema): Decoded<YamlValue | undefined> {
    switch (field.type) {
      case 'obj':
        return node.kind === 'map' ? this.fields(node, field.fields) : this.#misfit(node, 'object');
      case 'list':
        return this.#list(node, field);
      case 'map':
        return this.#map(node, field);
      case 'strs':
      case 'ints':
      case 'ports':
        return this.#scalars(node, field);
      case 'map:str':
      case 'map:bool':
      case 'args':
        return this.#scalarMap(node, field);
      case 'free':
        return node.kind === 'map' ? { known: valueFromNode(node) } : this.#misfit(node, 'object');
      case 'frees':
        return node.kind === 'list' ? { known: valueFromNode(node) } : this.#misfit(node, 'list of objects');
      default:
        return { known: this.#scalar(node, field) };
    }
  }

  #list(node: ConfigNode, field: FieldSchema): Decoded<YamlValue | undefined> {
    if (node.kind !== 'list') return this.#misfit(node, 'list of objects');
    const items = node.items.flatMap((item): Decoded<YamlMap>[] => {
      if (item.kind === 'map') return [this.fields(item, field.fields)];
      this.#misfit(item, 'object');
      return [];
    });
    const unknown = items.flatMap((item) => (item.unknown === undefined ? [] : [item.unknown]));
    return { known: items.map((item) => item.known), ...(unknown.length > 0 ? { unknown } : {}) };
  }

  #map(node: ConfigNode, field: FieldSchema): Decoded<YamlValue | undefined> {
    if (node.kind !== 'map') return this.#misfit(node, 'map');
    const known: [string, YamlValue][] = [];
    const unknown: [string, YamlValue][] = [];
    for (const [key, child] of node.entries) {
      const decoded = child.kind === 'map' ? this.fields(child, field.fields) : this.#misfit(child, 'object');
      if (decoded.known !== undefined) known.push([key, decoded.known]);
      if (decoded.unknown !== undefined) unknown.push([key, decoded.unknown]);
    }
    return { known: mapFromEntries(known), ...unknownPart(unknown) };
  }

  #scalars(node: ConfigNode, field: FieldSchema): Decoded<YamlValue | undefined> {
    if (node.kind !== 'list') return this.#misfit(node, 'list');
    return { known: node.items.flatMap((item) => this.#scalar(item, field) ?? []) };
  }

  #scalarMap(node: ConfigNode, field: FieldSchema): Decoded<YamlValue | undefined> {
    if (node.kind !== 'map') return this.#misfit(node, 'map');
    const entries = [...node.entries].flatMap(([key, child]): [string, YamlValue][] => {
      if (field.type === 'args' && child.kind === 'list') {
        return [[key, child.items.flatMap((item) => this.#scalar(item, field) ?? [])]];
      }
      const value = isNullNode(child) && field.type !== 'map:bool' ? '' : this.#scalar(child, field);
      return value === undefined ? [] : [[key, value]];
    });
    return { known: mapFromEntries(entries) };
  }

  #scalar(node: ConfigNode, field: FieldSchema): YamlValue | undefined {
    if (node.kind !== 'scalar') return this.#misfit(node, wantedWords[field.type] ?? 'string').known;
    const value = decodeScalar(node, scalarField(field, node));
    if (isScalarProblem(value)) return this.#misfit(node, value.wanted).known;
    return value;
  }

  #misfit(node: ConfigNode, wanted: string): Decoded<undefined> {
    const shown =
      node.kind === 'scalar'
        ? ` \`${node.text.length > 10 ? `${node.text.slice(0, 7)}...` : node.text}\``
        : '';
    this.#problems.push(`  line ${node.line}: cannot construct ${tagOf(node)}${shown} into ${wanted}`);
    return { known: undefined };
  }
}

const wantedWords: Partial<Record<FieldSchema['type'], string>> = {
  ints: 'int',
  'map:bool': 'bool',
  bool: 'bool',
  int: 'int',
};

/** What a single element of a collection of scalars must be. */
function scalarField(field: FieldSchema, node: ScalarNode): Pick<FieldSchema, 'type' | 'values'> {
  switch (field.type) {
    case 'ints':
      return { type: 'int', values: [] };
    case 'map:bool':
      return { type: 'bool', values: [] };
    case 'ports':
      return { type: /^\d+$/.test(node.text) ? 'uint16' : 'str', values: [] };
    default:
      return field;
  }
}

function tagOf(node: ConfigNode): string {
  if (node.kind === 'map') return '!!map';
  if (node.kind === 'list') return '!!seq';
  if (isNullNode(node)) return '!!null';
  const type = typeof valueFromNode(node);
  if (type === 'boolean') return '!!bool';
  if (type === 'bigint') return '!!int';
  if (type === 'number') return /^[-+]?(?:0x)?[0-9a-fA-F_ob]+$/.test(node.text) ? '!!int' : '!!float';
  return '!!str';
}

function unknownPart(entries: [string, YamlValue][]): { unknown?: YamlValue } {
  return entries.length === 0 ? {} : { unknown: sortKeys(mapFromEntries(entries)) };
}

function sortKeys(value: YamlValue): YamlValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as Record<string, YamlValue>).sort(([a], [b]) => (a < b ? -1 : 1));
  return mapFromEntries(entries.map(([key, item]) => [key, sortKeys(item)]));
}
