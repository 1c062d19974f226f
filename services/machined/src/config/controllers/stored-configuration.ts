import type { Timers } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import type { ConfigurationFile } from '../host/configuration-file.ts';

/** How long a write may take before the caller gets an error. */
const storeTimeoutMs = 30_000;
const notApplied = 'the configuration is not applied';

/**
 * The configuration text for the next start, and whether it is on disk. Writes run one at a time, and an
 * older text never overwrites one whose caller already got a response.
 */
export class StoredConfiguration {
  readonly #file: Pick<ConfigurationFile, 'store'>;
  readonly #timers: Timers;
  /** Settles with the last queued write. */
  #lastWrite: Promise<unknown> = Promise.resolve();
  #wanted: string | undefined;
  /** The text on disk; `undefined` while it is unknown. */
  #durable: string | undefined;
  #onUnsettled = () => {};

  constructor(file: Pick<ConfigurationFile, 'store'>, timers: Timers) {
    this.#file = file;
    this.#timers = timers;
  }

  /** Whether this text is the wanted one and is on disk. */
  has(text: string): boolean {
    return this.#wanted === text && this.#durable === text;
  }

  /** Makes this the wanted text without writing it; `settle()` writes it. */
  want(text: string): void {
    this.#wanted = text;
  }

  /**
   * Resolves when the text is on disk; it is the wanted text from then on.
   *
   * @throws Fault when the disk failed or timed out: the previously wanted text still is, and the disk may
   * hold either of them until `settle()` is called
   */
  async store(text: string): Promise<void> {
    if (this.has(text)) return;
    const late = Promise.withResolvers<never>();
    let isLate = false;
    using _ = this.#timers.after(storeTimeoutMs, () => {
      isLate = true;
      const seconds = storeTimeoutMs / 1000;
      late.reject(
        new Fault('deadline-exceeded', `${notApplied}: the disk did not store it within ${seconds} s`),
      );
    });
    const stored = this.#inTurn(async () => {
      if (isLate) return;
      try {
        await this.#write(text);
        // Set in the same turn as the write: a `settle()` that follows must not write the previous text
        // again.
        if (!isLate) this.#wanted = text;
      } finally {
        if (this.#durable !== this.#wanted) this.#onUnsettled();
      }
    });
    await Promise.race([stored.catch(refuse), late.promise]);
  }

  /** Writes the wanted text unless it is on disk. @throws Fault of the file */
  settle(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#wanted !== undefined && this.#durable !== this.#wanted) await this.#write(this.#wanted);
    });
  }

  /** Calls `listener` whenever a write failed or timed out, so that the disk may not hold the wanted text. */
  onUnsettled(listener: () => void): Disposable {
    this.#onUnsettled = listener;
    return {
      [Symbol.dispose]: () => {
        this.#onUnsettled = () => {};
      },
    };
  }

  async #write(text: string): Promise<void> {
    this.#durable = undefined;
    await this.#file.store(text);
    this.#durable = text;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#lastWrite.then(work);
    this.#lastWrite = turn.catch(() => {});
    return turn;
  }
}

function refuse(error: unknown): never {
  const { kind, message } = faultFrom(error);
  throw new Fault(kind, `${notApplied}: ${message}`);
}
