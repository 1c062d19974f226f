import { writeSync } from 'node:fs';

/** Maximum size of the waiting lines in bytes, apart from one write. Further lines are dropped and counted. */
const maxWaitingBytes = 1024 * 1024;
/** Number of bytes per system call, so that a long queue does not block the daemon. */
const maxWriteBytes = 64 * 1024;
/** Bytes of a character of a string, at most. */
const maxCharacterBytes = 3;
/**
 * How long a line that can wait does so, in milliseconds, and how many bytes wait at most. Each write wakes up the daemon, and
 * machined, which reads it.
 */
const gatherMs = 50;
const gatherBytes = 56 * 1024;
/** Delay before the next attempt when the reader's pipe is full, in milliseconds. */
const retryMs = 20;
/** How long the process waits at its end for the reader to take the last lines, in milliseconds. */
const flushTimeoutMs = 500;
const nothing = new Uint8Array();

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
  /** Encoded lines, in blocks that are full; the oldest first. */
  #full: Buffer[] = [];
  /** Where lines are encoded, side by side. Made with the first line: not every process writes any. */
  #block: Buffer = Buffer.alloc(0);
  /** The part of the block whose lines wait. */
  #start = 0;
  #end = 0;
  #waitingBytes = 0;
  /** The part of the last write that the pipe did not accept. */
  #rest: Uint8Array = nothing;
  #lost = 0;
  #isScheduled = false;
  #isGathering = false;
  #isBroken = false;

  constructor(init: LineOutputInit) {
    this.#init = init;
  }

  /** Adds a line, which must include its line feed. */
  write(line: string): void {
    if (!this.#accepts()) return;
    this.#push(line);
    this.#schedule();
  }

  /**
   * Adds the line in the first `length` bytes, which must include its line feed. It may wait up to 50 ms, so
   * that many lines take one system call and wake the reader once.
   */
  writeBytes(bytes: Uint8Array, length: number): void {
    if (!this.#accepts()) return;
    if (length > maxWriteBytes) this.#pushAlone(Buffer.from(bytes.subarray(0, length)));
    else {
      this.#reserve(length);
      this.#block.set(length === bytes.length ? bytes : bytes.subarray(0, length), this.#end);
      this.#end += length;
      this.#waitingBytes += length;
    }
    if (this.#waitingBytes >= gatherBytes) this.#schedule();
    else if (!this.#isScheduled && !this.#isGathering) this.#gatherLines();
  }

  /** Writes all waiting lines at the end of the process. Waits for a slow reader, but not forever. */
  flush(): void {
    if (this.#lost > 0) this.#push(this.#takeLost());
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let waitedMs = 0; this.#writeAll() === 'full' && waitedMs < flushTimeoutMs; waitedMs += retryMs)
      Atomics.wait(pause, 0, 0, retryMs);
  }

  /** Whether a line can wait; otherwise it is lost. */
  #accepts(): boolean {
    if (this.#isBroken) return false;
    if (this.#waitingBytes >= maxWaitingBytes) {
      this.#lost += 1;
      return false;
    }
    if (this.#lost > 0) this.#push(this.#takeLost());
    return true;
  }

  #push(line: string): void {
    const mostBytes = line.length * maxCharacterBytes;
    if (mostBytes > maxWriteBytes) {
      this.#pushAlone(Buffer.from(line));
      return;
    }
    this.#reserve(mostBytes);
    const bytes = this.#block.write(line, this.#end);
    this.#end += bytes;
    this.#waitingBytes += bytes;
  }

  /** Adds a line that is larger than a block. */
  #pushAlone(line: Buffer): void {
    this.#closeBlock();
    this.#full.push(line);
    this.#waitingBytes += line.length;
  }

  /** Makes room for `bytes` bytes in the block. */
  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#block.length) return;
    this.#closeBlock();
    this.#block = Buffer.allocUnsafeSlow(maxWriteBytes);
    this.#start = 0;
    this.#end = 0;
  }

  #closeBlock(): void {
    if (this.#end === this.#start) return;
    this.#full.push(this.#block.subarray(this.#start, this.#end));
    this.#start = this.#end;
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

  #gatherLines(): void {
    this.#isGathering = true;
    // A waiting log line must not keep the process running.
    setTimeout(() => {
      this.#isGathering = false;
      if (!this.#isScheduled) this.#turn();
    }, gatherMs).unref();
  }

  #turn(): void {
    this.#isScheduled = false;
    if (this.#writeSome() === 'full') {
      this.#isScheduled = true;
      setTimeout(() => this.#turn(), retryMs).unref();
    } else if (this.#rest.length > 0 || this.#waitingBytes > 0) this.#schedule();
  }

  #writeAll(): 'full' | 'written' {
    while (this.#rest.length > 0 || this.#waitingBytes > 0) if (this.#writeSome() === 'full') return 'full';
    return 'written';
  }

  /** Makes one system call. */
  #writeSome(): 'full' | 'written' {
    if (this.#rest.length === 0) this.#rest = this.#next();
    if (this.#rest.length === 0) return 'written';
    try {
      const written = this.#init.write(this.#rest);
      this.#rest = written === this.#rest.length ? nothing : this.#rest.subarray(written);
      // Everything in the block was written: it is free.
      if (this.#rest.length === 0 && this.#waitingBytes === 0) [this.#start, this.#end] = [0, 0];
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') return 'full';
      // After a full disk the next line may succeed. After EPIPE the reader is closed for good.
      this.#rest = nothing;
      if (code !== 'EPIPE') return 'written';
      this.#isBroken = true;
      this.#full = [];
      this.#start = this.#end;
      this.#waitingBytes = 0;
    }
    return 'written';
  }

  /** The next lines, as many as are in one block. */
  #next(): Uint8Array {
    let next: Buffer | undefined = this.#full.shift();
    if (next === undefined) {
      next = this.#block.subarray(this.#start, this.#end);
      this.#start = this.#end;
    }
    this.#waitingBytes -= next.length;
    return next;
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
