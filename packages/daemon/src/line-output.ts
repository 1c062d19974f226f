import { writeSync } from 'node:fs';

/**
 * Maximum length of the waiting lines in UTF-16 units, apart from one write. Further lines are dropped and
 * counted.
 */
const maxWaitingBytes = 1024 * 1024;
/** Number of bytes per system call, so that a long queue does not block the daemon. */
const maxWriteBytes = 64 * 1024;
/** Bytes of a character of a string, at most. */
const maxCharacterBytes = 3;
/** Delay before the next attempt when the reader's pipe is full, in milliseconds. */
const retryMs = 20;
/** How long the process waits at its end for the reader to take the last lines, in milliseconds. */
const flushTimeoutMs = 500;

export interface LineOutputInit {
  /** Writes bytes and returns how many were written; throws EAGAIN while the pipe is full. */
  write(bytes: Uint8Array): number;
  /** Returns the line, with its line feed, that reports how many lines were dropped before it. */
  lost(count: number): string;
}

/**
 * Writes log lines to a reader that may be slow, such as a pipe to the parent process. The lines of one event
 * loop turn are written together. A full pipe never blocks the daemon: lines wait, up to a limit.
 */
export class LineOutput {
  readonly #init: LineOutputInit;
  #lines: string[] = [];
  /** Where lines are encoded, side by side. Made with the first line: not every process writes any. */
  #block: Buffer = Buffer.alloc(0);
  #waitingBytes = 0;
  /** The part of the last write that the pipe did not accept. */
  #rest: Uint8Array = new Uint8Array();
  #lost = 0;
  #isScheduled = false;
  #isBroken = false;

  constructor(init: LineOutputInit) {
    this.#init = init;
  }

  /** Adds a line, which must include its line feed. */
  write(line: string): void {
    if (this.#isBroken) return;
    if (this.#waitingBytes >= maxWaitingBytes) {
      this.#lost += 1;
      return;
    }
    if (this.#lost > 0) this.#push(this.#takeLost());
    this.#push(line);
    this.#schedule();
  }

  /** Writes all waiting lines at the end of the process. Waits for a slow reader, but not forever. */
  flush(): void {
    if (this.#lost > 0) this.#push(this.#takeLost());
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let waitedMs = 0; this.#writeAll() === 'full' && waitedMs < flushTimeoutMs; waitedMs += retryMs)
      Atomics.wait(pause, 0, 0, retryMs);
  }

  #push(line: string): void {
    if (this.#block.length === 0) this.#block = Buffer.allocUnsafeSlow(maxWriteBytes);
    this.#lines.push(line);
    this.#waitingBytes += line.length;
  }

  #takeLost(): string {
    const count = this.#lost;
    this.#lost = 0;
    return this.#init.lost(count);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    if (this.#writeSome() === 'full') {
      this.#isScheduled = true;
      // A waiting log line must not keep the process running.
      setTimeout(() => this.#turn(), retryMs).unref();
    } else if (this.#rest.length > 0 || this.#lines.length > 0) this.#schedule();
  }

  #writeAll(): 'full' | 'written' {
    while (this.#rest.length > 0 || this.#lines.length > 0) if (this.#writeSome() === 'full') return 'full';
    return 'written';
  }

  /** Makes one system call. */
  #writeSome(): 'full' | 'written' {
    if (this.#rest.length === 0) this.#rest = this.#next();
    if (this.#rest.length === 0) return 'written';
    try {
      this.#rest = this.#rest.subarray(this.#init.write(this.#rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') return 'full';
      // After a full disk the next line may succeed. After EPIPE the reader is closed for good.
      this.#rest = new Uint8Array();
      if (code !== 'EPIPE') return 'written';
      this.#isBroken = true;
      this.#lines = [];
    }
    return 'written';
  }

  /** The next lines, as many as fit into the block. It is free, because everything in it was written. */
  #next(): Uint8Array {
    let [count, end, length] = [0, 0, 0];
    for (const line of this.#lines) {
      if (end + line.length * maxCharacterBytes > maxWriteBytes) break;
      end += this.#block.write(line, end);
      length += line.length;
      count += 1;
    }
    const [first] = this.#lines;
    if (count === 0 && first !== undefined) {
      this.#lines.shift();
      this.#waitingBytes -= first.length;
      return Buffer.from(first);
    }
    if (count === this.#lines.length) this.#lines.length = 0;
    else this.#lines.splice(0, count);
    this.#waitingBytes -= length;
    return this.#block.subarray(0, end);
  }
}

/**
 * Opens standard output for the log of the daemon `name`. Waiting lines are written when the process exits.
 */
export function openStandardOutput(name: string): LineOutput {
  const output = new LineOutput({
    write: (bytes) => writeSync(1, bytes),
    lost: (count) =>
      `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), name, lost: count, msg: 'log lines lost: their reader is too slow' })}\n`,
  });
  // Opening this stream makes a pipe non-blocking; writing to the file descriptor alone would not.
  process.stdout.on('error', () => {});
  process.once('exit', () => output.flush());
  return output;
}
