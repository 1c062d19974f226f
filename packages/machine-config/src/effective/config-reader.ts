import { Fault } from '@nodewright/fault';
import type { ConfigDocument, Configuration } from '../config-document.ts';
import { millisecondsOf } from '../decode/duration.ts';
import { nameOfDocument } from '../decode/load-configuration.ts';
import { legacyKind } from '../schema/document-schema.ts';
import { findNode, formatPosition } from '../yaml/config-node.ts';
import { isYamlList, isYamlMap, type YamlMap, type YamlValue } from '../yaml/yaml-value.ts';

/** Keys and list indices, from the root of a document. */
export type ValuePath = readonly (string | number)[];

/** `machine.acceptedCAs[0].crt` */
export function formatPath(path: ValuePath): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
}

/**
 * Typed access by path to a part of a document. Decoding has already checked the types, so a missing or null
 * value reads as empty.
 */
export class DocumentReader {
  readonly document: ConfigDocument;
  readonly #base: ValuePath;

  constructor(document: ConfigDocument, base: ValuePath = []) {
    this.document = document;
    this.#base = base;
  }

  get name(): string {
    return nameOfDocument(this.document);
  }

  value(...path: string[]): YamlValue | undefined {
    let value: YamlValue | undefined = this.document.value;
    for (const part of [...this.#base, ...path]) {
      if (typeof part === 'number') value = isYamlList(value) ? value[part] : undefined;
      else value = isYamlMap(value) && Object.hasOwn(value, part) ? value[part] : undefined;
    }
    return value === null ? undefined : value;
  }

  /** Whether the key is set, even to an empty mapping. */
  has(...path: string[]): boolean {
    return this.value(...path) !== undefined;
  }

  text(...path: string[]): string {
    const value = this.value(...path);
    return typeof value === 'string' ? value : '';
  }

  boolean(...path: string[]): boolean | undefined {
    const value = this.value(...path);
    return typeof value === 'boolean' ? value : undefined;
  }

  integer(...path: string[]): number | undefined {
    const value = this.value(...path);
    return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
  }

  /** A duration in milliseconds, or 0 when not set. */
  milliseconds(...path: string[]): number {
    return millisecondsOf(this.text(...path));
  }

  texts(...path: string[]): string[] {
    const value = this.value(...path);
    return isYamlList(value) ? value.filter((item) => typeof item === 'string') : [];
  }

  /** A map with string values. */
  textMap(...path: string[]): Record<string, string> {
    const entries = Object.entries(this.map(...path));
    return Object.fromEntries(
      entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  }

  /** A map from flag names to one or several values. */
  argMap(...path: string[]): Record<string, readonly string[]> {
    const entries = Object.entries(this.map(...path)).map(([name, value]) => {
      const values = isYamlList(value) ? value : [value];
      return [name, values.map((each) => (each === null ? '' : String(each)))] as const;
    });
    return Object.fromEntries(entries);
  }

  map(...path: string[]): YamlMap {
    const value = this.value(...path);
    return isYamlMap(value) ? value : {};
  }

  /** Returns a reader for the part at the path. */
  below(...path: string[]): DocumentReader {
    return new DocumentReader(this.document, [...this.#base, ...path]);
  }

  /** Returns a reader for each item of a list. */
  items(...path: string[]): DocumentReader[] {
    const value = this.value(...path);
    if (!isYamlList(value)) return [];
    return value.map((_, at) => new DocumentReader(this.document, [...this.#base, ...path, at]));
  }

  /**
   * Decodes base64-encoded PEM. Returns `undefined` when not set.
   *
   * @throws Fault `invalid-argument` if the value is not base64-encoded PEM
   */
  base64Pem(...path: string[]): string | undefined {
    const text = this.text(...path).replace(/\s+/g, '');
    if (text === '') return undefined;
    const pem = /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64').toString('utf8') : '';
    if (!pem.includes('-----BEGIN ')) throw this.fault('must be base64-encoded PEM', ...path);
    return pem;
  }

  /**
   * Returns a PEM text, or `undefined` when not set.
   *
   * @throws Fault `invalid-argument` if the value is not PEM
   */
  pem(...path: string[]): string | undefined {
    const text = this.text(...path);
    if (text === '') return undefined;
    if (!text.includes('-----BEGIN ')) throw this.fault('must be PEM', ...path);
    return text;
  }

  /**
   * Creates a fault about the value at the path. The message names document, position and key, but never the
   * value.
   */
  fault(what: string, ...path: (string | number)[]): Fault {
    const full = [...this.#base, ...path];
    return new Fault('invalid-argument', `${placeOf(this.document, full)}${formatPath(full)} ${what}`);
  }
}

/**
 * Formats the document and the position of the deepest existing part of the path. The position is omitted
 * when the document has no origin.
 */
function placeOf({ kind, origin }: ConfigDocument, path: ValuePath): string {
  const label = kind === legacyKind ? 'machine configuration' : `machine configuration: ${kind}`;
  if (!origin) return `${label}: `;
  return `${label}: document ${origin.index}, ${formatPosition(findNode(origin.root, path))}: `;
}

/** Access to the documents of a configuration by kind. */
export class ConfigReader {
  /** The legacy document, or an empty one when the configuration has none. */
  readonly legacy: DocumentReader;
  readonly isComplete: boolean;
  readonly #configuration: Configuration;

  constructor(configuration: Configuration) {
    const legacy = configuration.find(({ kind }) => kind === legacyKind);
    this.#configuration = configuration;
    this.isComplete = legacy !== undefined;
    this.legacy = new DocumentReader(legacy ?? { kind: legacyKind, value: {} });
  }

  /** The document of a kind that occurs at most once. */
  document(kind: string): DocumentReader | undefined {
    return this.documents(kind)[0];
  }

  /** All documents of a kind, in the order of the stream. */
  documents(kind: string): DocumentReader[] {
    return this.#configuration
      .filter((document) => document.kind === kind)
      .map((document) => new DocumentReader(document));
  }
}
