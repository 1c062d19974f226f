import type { Fault } from '@nodewright/fault';

/** A value in a parsed document. Its errors name the path of the value. */
export class DocumentField {
  readonly #value: unknown;
  readonly #path: string;
  readonly #fail: (what: string) => Fault;

  constructor(value: unknown, path: string, fail: (what: string) => Fault) {
    this.#value = value;
    this.#path = path;
    this.#fail = fail;
  }

  at(key: string): DocumentField {
    const path = this.#path === '' ? key : `${this.#path}.${key}`;
    const isMap = typeof this.#value === 'object' && this.#value !== null;
    return new DocumentField(
      isMap ? (this.#value as Record<string, unknown>)[key] : undefined,
      path,
      this.#fail,
    );
  }

  list(): DocumentField[] {
    if (!Array.isArray(this.#value)) throw this.wrong('a list');
    return this.#value.map((value, index) => new DocumentField(value, `${this.#path}[${index}]`, this.#fail));
  }

  entries(): [string, DocumentField][] {
    if (typeof this.#value !== 'object' || this.#value === null || Array.isArray(this.#value))
      throw this.wrong('a map');
    return Object.keys(this.#value).map((key) => [key, this.at(key)]);
  }

  first(): DocumentField {
    const [field] = this.list();
    if (field === undefined) throw this.wrong('a list that is not empty');
    return field;
  }

  text(): string {
    if (typeof this.#value !== 'string') throw this.wrong('a text');
    return this.#value;
  }

  number(): number {
    if (typeof this.#value !== 'number') throw this.wrong('a number');
    return this.#value;
  }

  isAbsent(): boolean {
    return this.#value === undefined;
  }

  wrong(wanted: string): Fault {
    return this.#fail(`${this.#path === '' ? 'the file' : this.#path} must be ${wanted}`);
  }
}
