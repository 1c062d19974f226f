import { writeSync } from 'node:fs';
import { decodeKeys, type Key } from './screen/decode-keys.ts';
import type { Size } from './screen/frame.ts';

/** Alternate screen, hidden cursor, no wrapping at the right edge. */
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const leave = '\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l';
/** A sequence of a key arrives at once. An escape that nothing follows within this time is the escape key. */
const escapeMs = 40;

export interface TerminalEvents {
  readonly onKeys: (keys: readonly Key[]) => void;
  /** The size changed, or the content of the screen was lost: everything must be drawn again. */
  readonly onResize: () => void;
  /** The terminal accepts output again after `write` returned false. */
  readonly onDrain: () => void;
  /** The terminal was closed. */
  readonly onEnd: () => void;
}

type Input = NodeJS.ReadStream;
type Output = NodeJS.WriteStream;

/** A terminal in exclusive use until it is disposed of or the process ends, for whatever reason. */
export class Terminal implements Disposable {
  readonly #input: Input;
  readonly #output: Output;
  readonly #scope = new DisposableStack();
  #pending = '';
  #timer: NodeJS.Timeout | undefined;
  #isOurs = true;

  constructor(input: Input, output: Output, events: TerminalEvents) {
    this.#input = input;
    this.#output = output;
    const restore = () => this.#restore();
    process.once('exit', restore);
    // The output of a crash must be visible after the old screen is restored.
    process.once('uncaughtExceptionMonitor', restore);
    this.#scope.defer(() => {
      process.off('exit', restore);
      process.off('uncaughtExceptionMonitor', restore);
      restore();
    });
    input.setRawMode(true);
    output.write(enter);

    const onData = (bytes: Buffer | string) => this.#read(bytes.toString(), events.onKeys);
    this.#on(input, 'data', onData);
    this.#on(input, 'end', events.onEnd);
    this.#on(input, 'error', events.onEnd);
    this.#on(output, 'resize', events.onResize);
    this.#on(output, 'drain', events.onDrain);
    // A process that was stopped and continues finds the terminal in the state that the shell left.
    const onContinue = () => {
      input.setRawMode(true);
      output.write(enter);
      events.onResize();
    };
    process.on('SIGCONT', onContinue);
    this.#scope.defer(() => process.off('SIGCONT', onContinue));
    input.resume();
  }

  get size(): Size {
    return { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  /** False when the terminal is slow: the caller must not write again before `onDrain`. */
  write(text: string): boolean {
    if (!this.#isOurs) return false;
    return this.#output.write(text);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#scope.dispose();
    this.#input.pause();
  }

  #on(emitter: Input | Output, event: string, listener: (...parts: never[]) => void): void {
    const heard = listener as (...parts: unknown[]) => void;
    emitter.on(event, heard);
    this.#scope.defer(() => void emitter.off(event, heard));
  }

  #read(text: string, onKeys: TerminalEvents['onKeys']): void {
    clearTimeout(this.#timer);
    const decoded = decodeKeys(this.#pending + text, false);
    this.#pending = decoded.rest;
    if (decoded.rest !== '') {
      this.#timer = setTimeout(() => {
        const { keys } = decodeKeys(this.#pending, true);
        this.#pending = '';
        if (keys.length > 0) onKeys(keys);
      }, escapeMs);
    }
    if (decoded.keys.length > 0) onKeys(decoded.keys);
  }

  /** Synchronously, because a process that exits does not wait for streams. */
  #restore(): void {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    try {
      this.#input.setRawMode(false);
      const { fd } = this.#output as { readonly fd?: number };
      if (fd === undefined) this.#output.write(leave);
      else writeSync(fd, leave);
    } catch {
      // The terminal no longer exists.
    }
  }
}
