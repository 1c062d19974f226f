import { escapeLine } from '../output/escape-text.ts';
import { cutText, textWidth } from '../output/terminal-text.ts';
import type { OutputStream } from './command-module.ts';
import { ownText, writeOwn } from './own-text.ts';

/** The time until a command prints what it is waiting for, and the interval of updates, in milliseconds. */
const quietMs = 1000;

/** Waits for the response of a node. After one second it shows a line that names the node. */
export async function showWait<T>(output: OutputStream, node: string, answer: Promise<T>): Promise<T> {
  using _progress = new Progress(output, () => `waiting for ${node}`);
  return await answer;
}

/**
 * A line on stderr that says what the command is waiting for. It is shown after one second, and only on a terminal.
 * Call `pause` before other output, so that the two do not mix.
 */
export class Progress implements Disposable {
  readonly #output: OutputStream;
  readonly #describe: () => string;
  readonly #started = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #shown = false;

  /** @param describe returns what the command is waiting for; called every second */
  constructor(output: OutputStream, describe: () => string) {
    this.#output = output;
    this.#describe = describe;
    if (output.isTTY) this.#timer = setInterval(() => this.#show(), quietMs).unref();
  }

  /** Clears the line until the next update. */
  pause(): void {
    if (!this.#shown) return;
    writeOwn(this.#output, ownText`\r\u001b[K`);
    this.#shown = false;
  }

  #show(): void {
    const seconds = Math.floor((performance.now() - this.#started) / 1000);
    const text = escapeLine(`${this.#describe()} (${seconds}s)`);
    // A terminal of unknown width reports 0 columns.
    const room = (this.#output.columns || 80) - 1;
    const line = textWidth(text) > room ? cutText(text, room - 2, '...') : text;
    writeOwn(this.#output, ownText`\r\u001b[K${line}`);
    this.#shown = true;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.pause();
  }
}
