import { writeSync } from 'node:fs';

/** Lines that wait for a slow reader, in UTF-16 units, besides one write; more are left out and counted. */
const maxWaitingBytes = 1024 * 1024;
/** One system call takes about so many bytes, so that a long queue does not hold up the daemon. */
const maxWriteBytes = 64 * 1024;
/** When the reader's pipe is full, it is tried again after this long. */
const retryMs = 20;
/** At its end a process waits this long for the reader to take the last lines. */
const farewellMs = 500;

export interface LineOutputInit {
  /** Writes bytes and yields how many it took; throws EAGAIN while the reader is behind. */
  write(bytes: Uint8Array): number;
  /** The line that tells how many lines were left out before it, with its line feed. */
  lost(count: number): string;
}

/**
 * Writes log lines to a reader that may be slow, such as the pipe to the process that started a daemon. Lines of one
 * turn of the event loop leave together. A full pipe never stops the daemon: its lines wait, up to a limit.
 */
export class LineOutput {
  readonly #init: LineOutputInit;
  #lines: string[] = [];
  #waitingBytes = 0;
  /** What one write did not take. */
  #rest: Uint8Array = new Uint8Array();
  #lost = 0;
  #isScheduled = false;
  #isBroken = false;

  constructor(init: LineOutputInit) {
    this.#init = init;
  }

  /** Takes a line with its line feed. */
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

  /** Writes what waits, for the end of the process: waits for a slow reader, but not for ever. */
  flush(): void {
    if (this.#lost > 0) this.#push(this.#takeLost());
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let waitedMs = 0; this.#writeAll() === 'full' && waitedMs < farewellMs; waitedMs += retryMs)
      Atomics.wait(pause, 0, 0, retryMs);
  }

  #push(line: string): void {
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
      // What keeps the process alive is its work, not its log.
      setTimeout(() => this.#turn(), retryMs).unref();
    } else if (this.#rest.length > 0 || this.#lines.length > 0) this.#schedule();
  }

  #writeAll(): 'full' | 'written' {
    while (this.#rest.length > 0 || this.#lines.length > 0) if (this.#writeSome() === 'full') return 'full';
    return 'written';
  }

  /** One system call. */
  #writeSome(): 'full' | 'written' {
    if (this.#rest.length === 0) this.#rest = this.#next();
    if (this.#rest.length === 0) return 'written';
    try {
      this.#rest = this.#rest.subarray(this.#init.write(this.#rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') return 'full';
      // A full disk may have room again later; a reader that has gone does not come back.
      this.#rest = new Uint8Array();
      if (code !== 'EPIPE') return 'written';
      this.#isBroken = true;
      this.#lines = [];
    }
    return 'written';
  }

  #next(): Uint8Array {
    let [count, bytes] = [0, 0];
    while (count < this.#lines.length && bytes < maxWriteBytes) {
      bytes += this.#lines[count]?.length ?? 0;
      count += 1;
    }
    this.#waitingBytes -= bytes;
    return Buffer.from(this.#lines.splice(0, count).join(''));
  }
}

/** Standard output for the log of the daemon `name`. What waits is written when the process ends by itself. */
export function openStandardOutput(name: string): LineOutput {
  const output = new LineOutput({
    write: (bytes) => writeSync(1, bytes),
    lost: (count) =>
      `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), name, lost: count, msg: 'log lines lost: their reader is too slow' })}\n`,
  });
  // Opening this stream makes a pipe non-blocking, which a write to the descriptor alone would not.
  process.stdout.on('error', () => {});
  process.once('exit', () => output.flush());
  return output;
}
