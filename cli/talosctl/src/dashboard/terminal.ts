import { writeSync } from 'node:fs';
import { decodeKeys, type Key } from './screen/decode-keys.ts';
import type { Size } from './screen/frame.ts';

/** The alternate screen, without a cursor, without wrapping at the right edge. */
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const leave = '\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l';
/** A key that sends a sequence sends it at once; an escape alone is the key of that name. */
const escapeMs = 40;

export interface TerminalEvents {
  readonly onKeys: (keys: readonly Key[]) => void;
  /** The size is another one, or what was shown is gone: everything is to be drawn anew. */
  readonly onResize: () => void;
  /** There is room again after `write` said that there was none. */
  readonly onDrain: () => void;
  /** The terminal has gone away. */
  readonly onEnd: () => void;
}

type Input = NodeJS.ReadStream;
type Output = NodeJS.WriteStream;

/** A terminal that belongs to us alone, until it is disposed or the process ends, however it ends. */
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
    // What a crash prints is to be seen when the screen is gone.
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
    // Whoever was stopped and goes on finds the terminal as the shell has left it.
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

  /** False when the terminal is slow: nothing more is to be written before `onDrain`. */
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

  /** At once: a process that ends waits for no stream. */
  #restore(): void {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    try {
      this.#input.setRawMode(false);
      const { fd } = this.#output as { readonly fd?: number };
      if (fd === undefined) this.#output.write(leave);
      else writeSync(fd, leave);
    } catch {
      // There is no terminal any more.
    }
  }
}
