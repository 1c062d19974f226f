import { documentSchema, legacyKind } from '../schema/document-schema.ts';
import type { FieldMap, FieldSchema } from '../schema/parse-schema.ts';
import { type Comment, encodeYaml, type Path } from '../yaml/encode-yaml.ts';
import { entriesOf, isYamlList, isYamlMap, type YamlMap, type YamlValue } from '../yaml/yaml-value.ts';
import { type DocumentDocs, documentDocs, type FieldDoc } from './field-docs.ts';

/** Which comments to write into a configuration. */
export interface CommentModes {
  /** Write one line of help per field. */
  readonly docs: boolean;
  /** Write commented-out sample values for fields that are not set. */
  readonly examples: boolean;
}

/**
 * Returns the comments for a document written as `arranged`: help beside a scalar or above an object, and
 * samples at the position of the missing field.
 *
 * Source: Talos v1.14: machine configuration, encoding, comment modes. The texts are our own.
 */
export function describeDocument(
  kind: string,
  arranged: YamlMap,
  modes: CommentModes,
): (path: Path) => Comment | undefined {
  const fields = documentSchema(kind)?.fields ?? new Map();
  const comments = new Map<string, Comment>();
  const writer = new CommentWriter(documentDocs(kind), modes, comments);
  writer.object(arranged, fields, [], []);
  if (modes.docs && kind !== legacyKind)
    comments.set(keyOf(['kind']), { beside: documentDocs(kind)['']?.help });
  return (path) => comments.get(keyOf(path));
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}

class CommentWriter {
  readonly #docs: DocumentDocs;
  readonly #modes: CommentModes;
  readonly #comments: Map<string, Comment>;

  constructor(docs: DocumentDocs, modes: CommentModes, comments: Map<string, Comment>) {
    this.#docs = docs;
    this.#modes = modes;
    this.#comments = comments;
  }

  /** Adds the comments of one object. `path` is its path in the document, `names` its path in the schema. */
  object(value: YamlMap, fields: FieldMap, path: Path, names: readonly string[]): void {
    let samples: string[] = [];
    let lastKey: string | undefined;
    for (const field of fields.values()) {
      const given = value[field.name];
      const doc = this.#docs[[...names, field.name].join('.')];
      if (given === undefined) {
        samples.push(...this.#sample(field.name, doc));
        continue;
      }
      const key = keyOf([...path, field.name]);
      this.#comments.set(key, this.#comment(given, field, doc, samples, lastKey));
      samples = [];
      lastKey = key;
      this.#inside(given, field, [...path, field.name], [...names, field.name]);
      if (isEmptyCollection(given)) samples.push(...this.#samplesOfEmpty(field, doc, [...names, field.name]));
    }
    if (lastKey !== undefined) this.#append(lastKey, samples);
  }

  /** Puts the pending samples below the previous field, or above this field if it is the first. */
  #comment(
    value: YamlValue,
    field: FieldSchema,
    doc: FieldDoc | undefined,
    samples: string[],
    lastKey: string | undefined,
  ): Comment {
    const help = this.#modes.docs ? doc?.help : undefined;
    if (lastKey !== undefined) this.#append(lastKey, samples);
    const before = lastKey === undefined ? samples : [];
    const isObject = isYamlMap(value) || isYamlList(value) || field.type === 'obj';
    if (isObject) return { above: [...before, ...(help ? [help] : [])] };
    return { above: before, beside: help };
  }

  #append(key: string, samples: readonly string[]): void {
    if (samples.length === 0) return;
    const comment = this.#comments.get(key) ?? {};
    this.#comments.set(key, { ...comment, below: [...(comment.below ?? []), ...samples] });
  }

  #inside(value: YamlValue, field: FieldSchema, path: Path, names: readonly string[]): void {
    if (field.fields.size === 0) return;
    if (isYamlList(value)) {
      for (const [at, item] of value.entries())
        if (isYamlMap(item)) this.object(item, field.fields, [...path, at], names);
    } else if (isYamlMap(value) && field.type === 'map') {
      for (const [key, item] of entriesOf(value)) {
        if (isYamlMap(item)) this.object(item, field.fields, [...path, key], [...names, '*']);
      }
    } else if (isYamlMap(value)) {
      this.object(value, field.fields, path, names);
    }
  }

  /** Returns the sample of the field itself, or else the samples of the fields inside it. */
  #samplesOfEmpty(field: FieldSchema, doc: FieldDoc | undefined, names: readonly string[]): string[] {
    if (doc?.example !== undefined) return this.#sample(field.name, { help: '', example: doc.example });
    const inside = [...field.fields.values()].flatMap((child) =>
      this.#sample(child.name, this.#docs[[...names, child.name].join('.')]),
    );
    return inside.map((line) => `    ${line}`);
  }

  #sample(name: string, doc: FieldDoc | undefined): string[] {
    if (!this.#modes.examples || doc?.example === undefined) return [];
    const lines = encodeYaml({ [name]: doc.example })
      .trimEnd()
      .split('\n');
    return [...(this.#modes.docs && doc.help ? [`# ${doc.help}`] : []), ...lines];
  }
}

function isEmptyCollection(value: YamlValue): boolean {
  if (isYamlList(value)) return value.length === 0;
  return isYamlMap(value) && entriesOf(value).length === 0;
}
