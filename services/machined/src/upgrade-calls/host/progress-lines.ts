import { ChangeSignal } from '@nodewright/async';
import { upgradeLimits } from '../domain/upgrade-limits.ts';

/** Lines of an upgrade on their way to a client. The upgrade does not wait for the client: one that reads slowly misses lines. */
export class ProgressLines {
  readonly #changed = new ChangeSignal();
  #unread: string[] = [];
  #leftOut = 0;
  #isOver = false;

  /** @param line without a line feed */
  readonly add = (line: string): void => {
    if (this.#isOver) return;
    if (this.#unread.length >= upgradeLimits.unreadLines) {
      this.#unread.shift();
      this.#leftOut += 1;
    }
    this.#unread.push(line.slice(0, upgradeLimits.lineLength));
    this.#changed.notify();
  };

  /** No line follows. */
  end(): void {
    this.#isOver = true;
    this.#changed.notify();
  }

  /** The lines, for one reader. Ends after the last one, or when `signal` aborts. */
  async *read(signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    for (;;) {
      const [lines, leftOut] = [this.#unread, this.#leftOut];
      [this.#unread, this.#leftOut] = [[], 0];
      if (leftOut > 0) yield `${leftOut} lines are left out: they were not read in time`;
      for (const line of lines) {
        if (signal.aborted) return;
        yield line;
      }
      if (this.#unread.length > 0) continue;
      if (this.#isOver || signal.aborted) return;
      await this.#changed.next(signal);
    }
  }
}
