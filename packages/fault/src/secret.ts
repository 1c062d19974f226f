import { inspect } from 'node:util';

const mask = '******';

/** A text that must not be shown. Printed, logged or serialised, it reads `******`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The text itself. Call it at the place of use, and do not store the result. */
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
