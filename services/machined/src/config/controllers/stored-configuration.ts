import type { Timers } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import type { ConfigurationFile } from '../host/configuration-file.ts';

/** How long a write may take before its caller is refused. */
const storeTimeoutMs = 30_000;
const notApplied = 'the configuration is not applied';

/**
 * The text that the next start takes, and whether the disk has it. Writes follow one another, and none of them puts an
 * older text over one whose caller has been answered.
 */
export class StoredConfiguration {
  readonly #file: Pick<ConfigurationFile, 'store'>;
  readonly #timers: Timers;
  /** Ends with the last write that is queued. */
  #lastWrite: Promise<unknown> = Promise.resolve();
  #wanted: string | undefined;
  /** Undefined while it is not known what the disk has. */
  #durable: string | undefined;
  #onUnsettled = () => {};

  constructor(file: Pick<ConfigurationFile, 'store'>, timers: Timers) {
    this.#file = file;
    this.#timers = timers;
  }

  /** Whether the next start takes this text, which is on the disk. */
  has(text: string): boolean {
    return this.#wanted === text && this.#durable === text;
  }

  /** Makes this the wanted text without writing it: `settle()` does. */
  want(text: string): void {
    this.#wanted = text;
  }

  /**
   * Resolves when the text is on the disk, and wanted from then on.
   *
   * @throws Fault when the disk failed or was too slow: the text that was wanted before still is, and the disk may hold
   * either of them until `settle()` is called
   */
  async store(text: string): Promise<void> {
    if (this.has(text)) return;
    const late = Promise.withResolvers<never>();
    let isLate = false;
    using _ = this.#timers.after(storeTimeoutMs, () => {
      isLate = true;
      const seconds = storeTimeoutMs / 1000;
      late.reject(
        new Fault('deadline-exceeded', `${notApplied}: the disk did not take it within ${seconds} s`),
      );
    });
    const stored = this.#inTurn(async () => {
      if (isLate) return;
      try {
        await this.#write(text);
        // In the same turn as the write: a settle() that follows must not write the text before it again.
        if (!isLate) this.#wanted = text;
      } finally {
        if (this.#durable !== this.#wanted) this.#onUnsettled();
      }
    });
    await Promise.race([stored.catch(refuse), late.promise]);
  }

  /** Writes the wanted text unless the disk has it. @throws Fault of the file */
  settle(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#wanted !== undefined && this.#durable !== this.#wanted) await this.#write(this.#wanted);
    });
  }

  /** Calls `listener` whenever a write failed or came too late, so that the disk may not have the wanted text. */
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
