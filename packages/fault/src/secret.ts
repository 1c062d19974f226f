import { inspect } from 'node:util';

const mask = '******';

/** A text that must not be shown. However it is printed, logged or serialised, it reads `******`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The text itself. Call it where it is used, keep it nowhere. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [inspect.custom](): string {
    return mask;
  }
}
