import type { ConfigDocument } from '../config-document.ts';
import { formatPath, type ValuePath } from '../effective/config-reader.ts';
import type { YamlMap, YamlValue } from '../yaml/yaml-value.ts';
import type { ConversionNote, Move } from './conversion.ts';
import { isUnset, valueAt, withValue } from './value-path.ts';

export interface DraftInit {
  readonly legacy: ConfigDocument;
  readonly isPatch: boolean;
}

/** A document under construction, which remembers where its parts were, and which of them are defaults. */
export class DocumentDraft {
  readonly kind: string;
  readonly moves: Move[] = [];
  readonly notes: ConversionNote[] = [];
  readonly #init: DraftInit;
  #value: YamlMap = {};

  constructor(kind: string, init: DraftInit) {
    this.kind = kind;
    this.#init = init;
  }

  get value(): YamlMap {
    return this.#value;
  }

  has(...path: string[]): boolean {
    return valueAt(this.#value, path) !== undefined;
  }

  /** Copies a value of the v1alpha1 document, unless it is empty. */
  move(to: ValuePath, from: ValuePath, change: (value: YamlValue) => YamlValue = (value) => value): this {
    const value = valueAt(this.#init.legacy.value, from);
    if (value === undefined || isUnset(value)) return this;
    return this.put(to, change(value), from);
  }

  /** Sets a value that comes from the place. */
  put(to: ValuePath, value: YamlValue, from: ValuePath): this {
    this.#value = withValue(this.#value, to, value);
    this.moves.push({ to, from });
    return this;
  }

  /** Writes out a default, with a note, unless the value is set. A patch gets no defaults: it would set them on every node. */
  write(to: ValuePath, value: YamlValue, text: string): this {
    if (this.#init.isPatch || valueAt(this.#value, to) !== undefined) return this;
    this.#value = withValue(this.#value, to, value);
    const name = this.#value.name;
    const label = typeof name === 'string' && name !== '' ? `${this.kind}/${name}` : this.kind;
    this.notes.push({ kind: 'default', key: `${label}: ${formatPath(to)}`, text });
    return this;
  }

  /** The name of a document, which is no default although the source has no such key. */
  named(name: string, from: ValuePath): this {
    return this.put(['name'], name, from);
  }
}
