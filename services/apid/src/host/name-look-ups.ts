import { unlessAborted } from '@nodewright/async';
import { lookUpLimits } from '../domain/limits.ts';

/** So many names wait that no other one is looked up. */
export class TooManyLookUps extends Error {}

interface LookUp {
  readonly addresses: Promise<readonly string[]>;
  begin(): void;
  /** Callers that still want the addresses. */
  callers: number;
}

/**
 * Look-ups of names with a resolver that cannot be aborted, a few at once. Callers who want the same name share a look-up, and one that
 * has not begun is dropped with its last caller.
 */
export class NameLookUps {
  readonly #resolve: (name: string) => Promise<readonly string[]>;
  readonly #running = new Map<string, LookUp>();
  readonly #waiting = new Map<string, LookUp>();

  constructor(resolve: (name: string) => Promise<readonly string[]>) {
    this.#resolve = resolve;
  }

  /** Rejects with the error of the resolver, with `TooManyLookUps`, or with the reason of `signal`. */
  async lookUp(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const lookUp = this.#running.get(name) ?? this.#waiting.get(name) ?? this.#add(name);
    lookUp.callers += 1;
    try {
      return await unlessAborted(lookUp.addresses, signal);
    } finally {
      lookUp.callers -= 1;
      if (lookUp.callers === 0 && this.#waiting.get(name) === lookUp) this.#waiting.delete(name);
    }
  }

  #add(name: string): LookUp {
    if (this.#waiting.size >= lookUpLimits.waiting)
      throw new TooManyLookUps('too many other names are being looked up');
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    // Its callers handle a failure; there may be none any more.
    promise.catch(() => {});
    const lookUp = { addresses: promise, begin: () => resolve(this.#resolve(name)), callers: 0 };
    this.#waiting.set(name, lookUp);
    this.#beginNext();
    return lookUp;
  }

  #beginNext(): void {
    for (const [name, lookUp] of this.#waiting) {
      if (this.#running.size >= lookUpLimits.running) return;
      this.#waiting.delete(name);
      this.#running.set(name, lookUp);
      lookUp.begin();
      const end = () => {
        this.#running.delete(name);
        this.#beginNext();
      };
      lookUp.addresses.then(end, end);
    }
  }
}
