import type { OutputStream } from './command-module.ts';
import { escapeLine } from './output/escape-text.ts';
import { ownText, writeOwn } from './output/own-text.ts';

/** How long a command may be silent before it says what it waits for, in milliseconds. */
const quietMs = 1000;

/** The result of what a node was asked, with a line that names it from the first second on. */
export async function showWait<T>(output: OutputStream, node: string, answer: Promise<T>): Promise<T> {
  using _progress = new Progress(output, () => `waiting for ${node}`);
  return await answer;
}

/**
 * A line on a terminal's stderr that says what the command waits for, from the first second on. Other output goes
 * through `pause`, so that lines do not run into each other. On anything but a terminal it prints nothing.
 */
export class Progress implements Disposable {
  readonly #output: OutputStream;
  readonly #describe: () => string;
  readonly #started = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #shown = false;

  /** @param describe what is being waited for, asked anew each second */
  constructor(output: OutputStream, describe: () => string) {
    this.#output = output;
    this.#describe = describe;
    if (output.isTTY) this.#timer = setInterval(() => this.#show(), quietMs).unref();
  }

  /** Takes the line away until it is due again. */
  pause(): void {
    if (!this.#shown) return;
    writeOwn(this.#output, ownText`\r\u001b[K`);
    this.#shown = false;
  }

  #show(): void {
    const seconds = Math.floor((performance.now() - this.#started) / 1000);
    const text = escapeLine(`${this.#describe()} (${seconds}s)`);
    // A terminal that does not know its width says 0.
    const room = (this.#output.columns || 80) - 1;
    const line = text.length > room ? `${text.slice(0, room - 3)}...` : text;
    writeOwn(this.#output, ownText`\r\u001b[K${line}`);
    this.#shown = true;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.pause();
  }
}
