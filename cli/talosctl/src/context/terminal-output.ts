import { escapeText } from '../output/escape-text.ts';
import type { CliEnvironment, OutputStream } from './command-module.ts';
import type { OwnText } from './own-text.ts';

/** Longest piece that is escaped at once, in UTF-16 code units; the escaped text can be 6 times as long. */
export const mostEscapedAtOnce = 65_536;

/**
 * Wraps a terminal. All output is escaped, because it may come from a node; only `writeOwn` may control the
 * terminal. Bytes are decoded as UTF-8 across writes; invalid ones become U+FFFD. It buffers at most 3 bytes
 * between two writes.
 */
export class TerminalOutput implements OutputStream {
  /** The terminal itself, for a command that draws the whole screen and escapes its texts itself. */
  readonly terminal: OutputStream;
  readonly isTTY = true;
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #isInsideCharacter = false;

  constructor(terminal: OutputStream) {
    this.terminal = terminal;
  }

  get columns(): number | undefined {
    return this.terminal.columns;
  }

  get rows(): number | undefined {
    return (this.terminal as { readonly rows?: number }).rows;
  }

  write(text: string | Uint8Array): boolean {
    if (typeof text !== 'string') {
      this.#isInsideCharacter = true;
      return this.#escape(this.#decoder.decode(text, { stream: true }));
    }
    this.flush();
    return this.#escape(text);
  }

  writeOwn(own: OwnText): unknown {
    this.flush();
    return this.terminal.write(own.text);
  }

  once(event: 'drain', listener: () => void): unknown {
    return this.terminal.once?.(event, listener);
  }

  /** Writes the remaining bytes of an incomplete character. */
  flush(): void {
    if (!this.#isInsideCharacter) return;
    this.#isInsideCharacter = false;
    this.#escape(this.#decoder.decode());
  }

  #escape(text: string): boolean {
    let hasRoom = true;
    for (let from = 0; from < text.length; ) {
      const to = endOfPiece(text, from);
      hasRoom = this.terminal.write(escapeText(text.slice(from, to))) !== false && hasRoom;
      from = to;
    }
    return hasRoom;
  }
}

/** A piece never ends between the halves of a surrogate pair. */
function endOfPiece(text: string, from: number): number {
  const to = from + mostEscapedAtOnce;
  if (to >= text.length) return text.length;
  const last = text.charCodeAt(to - 1);
  return last >= 0xd800 && last <= 0xdbff ? to - 1 : to;
}

/**
 * Wraps a terminal so that no output can control it; a stream that is not a terminal gets every byte
 * unchanged.
 */
export function guardOutput(output: OutputStream): OutputStream {
  return output.isTTY ? new TerminalOutput(output) : output;
}

/** The same environment with both of its streams wrapped. Call `flush` at the end of the command. */
export function guardEnvironment(env: CliEnvironment): CliEnvironment & { flush(): void } {
  const stdout = guardOutput(env.stdout);
  const stderr = guardOutput(env.stderr);
  return {
    ...{ stdout, stderr, environment: env.environment, cwd: env.cwd, signal: env.signal },
    get stdin() {
      return env.stdin;
    },
    get isInteractive() {
      return env.isInteractive;
    },
    now: () => env.now(),
    telemetry: () => env.telemetry(),
    flush() {
      for (const output of [stdout, stderr]) if (output instanceof TerminalOutput) output.flush();
    },
  };
}

/** The underlying stream of a wrapped terminal. */
export function unguarded(output: OutputStream): OutputStream {
  return output instanceof TerminalOutput ? output.terminal : output;
}
