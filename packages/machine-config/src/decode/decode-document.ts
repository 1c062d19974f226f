import { Fault } from '@nodewright/fault';
import type { ConfigDocument } from '../config-document.ts';
import { documentSchema, documentVersion, legacyKind } from '../schema/document-schema.ts';
import { isEmptyValue } from '../schema/empty-value.ts';
import type { FieldMap, FieldSchema } from '../schema/parse-schema.ts';
import type {
  ConfigNode,
  ConfigSource,
  ListNode,
  MapNode,
  Position,
  ScalarNode,
} from '../yaml/config-node.ts';
import { formatPosition, isNullNode, mergeKey } from '../yaml/config-node.ts';
import { encodeYaml } from '../yaml/encode-yaml.ts';
import { mergedEntries } from '../yaml/merged-entries.ts';
import { isTimestamp, timestampsIn } from '../yaml/timestamps.ts';
import { valueFromNode } from '../yaml/value-from-node.ts';
import { mapFromEntries, PlainScalar, type YamlMap, type YamlValue } from '../yaml/yaml-value.ts';
import { decodeScalar, isScalarProblem, type ScalarField } from './decode-scalar.ts';
import { decodeOldForm } from './old-forms.ts';

/** Top-level keys that identify the legacy document when `apiVersion` is missing. */
const legacyKeys = ['machine', 'cluster', 'debug', 'persist'];

/** Replaces a value that must not be shown. */
const hidden = new PlainScalar('...');

export interface DecodeOptions {
  /** Whether a node has stored the text, so that scalars in forms that older releases wrote are accepted, too. */
  readonly isStored?: boolean;
}

/** The kind and name of a document. */
export interface DocumentIdentity {
  readonly kind: string;
  /** Empty for kinds without a name. */
  readonly name: string;
}

/**
 * Determines the kind and name of a document.
 *
 * @throws Fault `invalid-argument` with the position, if kind or version are missing or unknown
 *
 * Source: Talos v1.14: machine configuration, decoding rules 2 and 3.
 */
export function identifyDocument({ index, root }: ConfigSource): DocumentIdentity {
  const refuse = (what: string) =>
    new Fault('invalid-argument', `${what} (document ${index}, ${formatPosition(root)})`);
  const text = (key: string) => {
    const node = root.entries.get(key);
    return node?.kind === 'scalar' ? node.text : '';
  };
  const kind = text('kind');
  const isLegacy = legacyKeys.some((key) => root.entries.has(key));
  const version = text('apiVersion') || (isLegacy ? documentVersion : '');
  if (kind === '' && version === documentVersion) return { kind: legacyKind, name: '' };
  if (kind === '') throw refuse('missing kind');
  if (version === '') throw refuse('missing apiVersion');
  const schema = kind === legacyKind ? undefined : documentSchema(kind);
  if (!schema || version !== documentVersion) {
    throw refuse(`${JSON.stringify(kind)} ${JSON.stringify(version)}: not registered`);
  }
  return { kind, name: schema.isNamed ? text('name') : '' };
}

/**
 * Decodes one document with the schema of its kind. Scalars become values of their fields; null means that
 * the field is not set. The error lists all values of a wrong type, or else all unknown keys, each with its
 * position. It omits the values of unknown keys, because a misspelt key may hold a secret. Pass `identity`
 * for a document that does not state its kind.
 *
 * @throws Fault `invalid-argument` on values of a wrong type or unknown keys
 *
 * Source: Talos v1.14: machine configuration, decoding rules 4, 5 and 7.
 */
export function decodeDocument(
  source: ConfigSource,
  identity: DocumentIdentity = identifyDocument(source),
  { isStored = false }: DecodeOptions = {},
): ConfigDocument {
  const { root } = source;
  const { kind, name } = identity;
  const schema = documentSchema(kind);
  if (!schema) throw new Fault('invalid-argument', `${JSON.stringify(kind)}: not registered`);
  const decoder = new Decoder(isStored);
  const known = kind === legacyKind ? ['apiVersion'] : ['apiVersion', 'kind'];
  const body: MapNode = {
    ...root,
    entries: new Map([...root.entries].filter(([key]) => !known.includes(key))),
  };
  const value = decoder.fields(body, schema.fields, '');
  const problem = decoder.problem(value.unknown);
  if (problem !== undefined) {
    throw new Fault(
      'invalid-argument',
      `error decoding document ${documentVersion}/${kind}/${name} (${formatPosition(root)}): ${problem}`,
    );
  }
  return { kind, value: value.known, origin: source };
}

interface Decoded<T> {
  readonly known: T;
  /** The part of the tree that matches no field. */
  readonly unknown?: YamlValue;
}

class Decoder {
  readonly #problems: string[] = [];
  readonly #unknownKeys: string[] = [];
  readonly #isStored: boolean;

  constructor(isStored: boolean) {
    this.#isStored = isStored;
  }

  problem(unknown: YamlValue | undefined): string | undefined {
    if (this.#problems.length > 0) return `yaml: construct errors:\n${this.#problems.join('\n')}`;
    if (unknown === undefined) return undefined;
    return `unknown keys found during decoding:\n${encodeYaml(unknown)}${this.#unknownKeys.join('\n')}`;
  }

  fields(node: MapNode, fields: FieldMap, path: string): Decoded<YamlMap> {
    const known: [string, YamlValue][] = [];
    const unknown: [string, YamlValue][] = [];
    for (const [key, child] of node.entries) {
      const field = fields.get(key);
      if (!field) {
        unknown.push([key, shapeOf(child)]);
        this.#refuseKey(key, node.keys.get(key) ?? node, fields, path);
        continue;
      }
      if (isNullNode(child)) continue;
      const decoded = this.#field(child, field, join(path, key));
      if (decoded.known !== undefined && !isLeftOut(decoded.known, field)) known.push([key, decoded.known]);
      if (decoded.unknown !== undefined) unknown.push([key, decoded.unknown]);
    }
    return { known: mapFromEntries(known), ...unknownPart(unknown) };
  }

  #field(node: ConfigNode, field: FieldSchema, path: string): Decoded<YamlValue | undefined> {
    switch (field.type) {
      case 'obj':
        return node.kind === 'map'
          ? this.fields(node, field.fields, path)
          : this.#misfit(node, 'object', path);
      case 'list':
        return this.#list(node, field, path);
      case 'map':
        return this.#map(node, field, path);
      case 'strs':
      case 'enums':
      case 'ips':
      case 'prefixes':
      case 'ints':
      case 'ports':
        return this.#scalars(node, field, path);
      case 'map:str':
      case 'map:bool':
      case 'args':
        return this.#scalarMap(node, field, path);
      case 'free':
        return node.kind === 'map' ? { known: this.#free(node, path) } : this.#misfit(node, 'object', path);
      case 'frees':
        if (node.kind !== 'list') return this.#misfit(node, 'list of objects', path);
        // Nodes of earlier versions have stored such lists.
        for (const [at, item] of this.#isStored ? [] : node.items.entries())
          if (item.kind !== 'map') this.#misfit(item, 'object', `${path}[${at}]`);
        return { known: this.#free(node, path) };
      default:
        return { known: this.#scalar(node, field, path) };
    }
  }

  /**
   * Decodes a part without a schema. Timestamps are rejected, because they are neither strings nor numbers.
   */
  #free(node: MapNode | ListNode, path: string): YamlValue {
    for (const timestamp of timestampsIn(node)) {
      this.#problems.push(
        `  ${formatPosition(timestamp)}: ${path}: a timestamp is not allowed here: quote it to make it a string`,
      );
    }
    return valueFromNode(node);
  }

  #list(node: ConfigNode, field: FieldSchema, path: string): Decoded<YamlValue | undefined> {
    if (node.kind !== 'list') return this.#misfit(node, 'list of objects', path);
    const items = node.items.flatMap((item, at): Decoded<YamlMap>[] => {
      if (item.kind === 'map') return [this.fields(item, field.fields, `${path}[${at}]`)];
      this.#misfit(item, 'object', `${path}[${at}]`);
      return [];
    });
    const unknown = items.flatMap((item) => (item.unknown === undefined ? [] : [item.unknown]));
    return { known: items.map((item) => item.known), ...(unknown.length > 0 ? { unknown } : {}) };
  }

  #map(node: ConfigNode, field: FieldSchema, path: string): Decoded<YamlValue | undefined> {
    if (node.kind !== 'map' || node.hasMergeKey) return this.#misfit(node, 'map', path);
    const known: [string, YamlValue][] = [];
    const unknown: [string, YamlValue][] = [];
    for (const [key, child] of node.entries) {
      const inside = join(path, key);
      const decoded =
        child.kind === 'map'
          ? this.fields(child, field.fields, inside)
          : this.#misfit(child, 'object', inside);
      if (decoded.known !== undefined) known.push([key, decoded.known]);
      if (decoded.unknown !== undefined) unknown.push([key, decoded.unknown]);
    }
    return { known: mapFromEntries(known), ...unknownPart(unknown) };
  }

  #scalars(node: ConfigNode, field: FieldSchema, path: string): Decoded<YamlValue | undefined> {
    if (node.kind !== 'list') return this.#misfit(node, 'list', path);
    const elements = node.items.flatMap((item, at) => {
      // A null element is dropped, as if it were not written.
      return isNullNode(item) ? [] : (this.#scalar(item, field, `${path}[${at}]`) ?? []);
    });
    return { known: elements };
  }

  #scalarMap(node: ConfigNode, field: FieldSchema, path: string): Decoded<YamlValue | undefined> {
    const mayMerge = field.type === 'map:str';
    if (node.kind !== 'map' || (node.hasMergeKey && !mayMerge)) return this.#misfit(node, 'map', path);
    const entries = [...mergedEntries(node)].flatMap(([key, child]): [string, YamlValue][] => {
      const inside = join(path, key);
      if (field.type === 'args' && child.kind === 'list') {
        const values = child.items.filter((item) => !isNullNode(item));
        return [[key, values.flatMap((item) => this.#scalar(item, field, inside) ?? [])]];
      }
      const value = isNullNode(child) && field.type !== 'map:bool' ? '' : this.#scalar(child, field, inside);
      return value === undefined ? [] : [[key, value]];
    });
    return { known: mapFromEntries(entries) };
  }

  #scalar(node: ConfigNode, field: FieldSchema, path: string): YamlValue | undefined {
    if (node.kind !== 'scalar') return this.#misfit(node, wantedWords[field.type] ?? 'string', path).known;
    const wanted = scalarField(field, node);
    const value = decodeScalar(node, wanted);
    if (!isScalarProblem(value)) return value;
    const old = this.#isStored ? decodeOldForm(node, wanted) : undefined;
    return old === undefined ? this.#misfit(node, value.wanted, path).known : old.value;
  }

  #misfit(node: ConfigNode, wanted: string, path: string): Decoded<undefined> {
    if (node.kind === 'map' && node.hasMergeKey && wanted === 'map') {
      const position = formatPosition(node.keys.get(mergeKey) ?? node);
      this.#problems.push(`  ${position}: ${path}: merge keys ("<<") are not supported here`);
      return { known: undefined };
    }
    // A scalar in place of a map or list may be wrongly indented text, even a secret, and must not be shown.
    const isMisplaced = /^(?:object|map|list)/.test(wanted);
    const shown = node.kind === 'scalar' && !isMisplaced ? ` \`${shortened(node.text)}\`` : '';
    this.#problems.push(
      `  ${formatPosition(node)}: ${path}: cannot construct ${tagOf(node)}${shown} into ${wanted}`,
    );
    return { known: undefined };
  }

  #refuseKey(key: string, position: Position, fields: FieldMap, path: string): void {
    const meant = [...fields.keys()].find((known) => known.toLowerCase() === key.toLowerCase());
    const hint = meant === undefined ? '' : `, did you mean ${JSON.stringify(meant)}?`;
    this.#unknownKeys.push(
      `  ${formatPosition(position)}: ${JSON.stringify(key)} is not a key of ${path || 'the document'}${hint}`,
    );
  }
}

const wantedWords: Partial<Record<FieldSchema['type'], string>> = {
  ints: 'int',
  'map:bool': 'bool',
  bool: 'bool',
  int: 'int',
};

/** Returns the schema of one element of a list or map of scalars. */
function scalarField(field: FieldSchema, node: ScalarNode): ScalarField {
  switch (field.type) {
    case 'ints':
      return { type: 'int', values: [] };
    case 'ips':
      return { type: 'ip', values: [] };
    case 'prefixes':
      return { type: 'prefix', values: [] };
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
  if (isTimestamp(node)) return '!!timestamp';
  const type = typeof valueFromNode(node);
  if (type === 'boolean') return '!!bool';
  if (type === 'bigint') return '!!int';
  if (type === 'number') return /^[-+]?(?:0x)?[0-9a-fA-F_ob]+$/.test(node.text) ? '!!int' : '!!float';
  return '!!str';
}

/** Whether an empty object is omitted, because it only groups fields. */
function isLeftOut(value: YamlValue, field: FieldSchema): boolean {
  return field.type === 'obj' && isEmptyValue(value, field);
}

function unknownPart(entries: [string, YamlValue][]): { unknown?: YamlValue } {
  return entries.length === 0 ? {} : { unknown: sortKeys(mapFromEntries(entries)) };
}

/** Returns the structure of a node, with all values hidden. */
function shapeOf(node: ConfigNode): YamlValue {
  if (node.kind === 'list') return node.items.map(shapeOf);
  if (node.kind === 'scalar') return hidden;
  return sortKeys(mapFromEntries([...node.entries].map(([key, child]) => [key, shapeOf(child)])));
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function shortened(text: string): string {
  return text.length > 10 ? `${text.slice(0, 7)}...` : text;
}

function sortKeys(value: YamlValue): YamlValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null || value instanceof PlainScalar) return value;
  const entries = Object.entries(value as Record<string, YamlValue>).sort(([a], [b]) => (a < b ? -1 : 1));
  return mapFromEntries(entries.map(([key, item]) => [key, sortKeys(item)]));
}
