import type { FileHandle } from 'node:fs/promises';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@nodewright/files';
import type { Logger } from '@nodewright/telemetry';
import { LogReader } from '../domain/log-reader.ts';
import type { LogStore, ServiceLog } from './log-store.ts';

export interface LogCopiesInit {
  readonly store: LogStore;
  /** The folder of the log files. */
  readonly folder: string;
  readonly log: Logger;
  /** Resolves when the folder can be used; at once by default. What is logged before is written then. */
  readonly folderReady?: Promise<void> | undefined;
  /** Interval between writes, default 15 s. Source: Talos v1.14: log storage. */
  readonly flushIntervalMs?: number;
  /** A file of this size is renamed to `<id>.log.1` at the end of a line; default 5 MiB. */
  readonly rotateBytes?: number;
}

export interface LogCopies extends AsyncDisposable {
  /** Writes everything a last time and closes the files. Later logs stay in memory. */
  stop(): Promise<void>;
}

const fileMode = 0o640;
const chunkBytes = 64 * 1024;
/** So many bytes above the limit a file is renamed in the middle of a line. */
const longestLineBytes = 64 * 1024;
const lineBreak = 0x0a;

/**
 * Writes every log of the store to `<folder>/<id>.log` at intervals, including everything in memory at the
 * start, and a last time when it is disposed. A log that fills half of its memory between two intervals is
 * written at once, before its bytes are overwritten. A failure (a full disk) is logged once and retried; the
 * log in memory is not affected.
 */
export function openLogCopies(init: LogCopiesInit): LogCopies {
  const copies: LogCopy[] = [];
  let isReady = init.folderReady === undefined;
  let isStopped = false;
  void init.folderReady?.then(() => {
    isReady = true;
    schedule();
  });
  let flushing = Promise.resolve();
  let isFailing = false;
  let isScheduled = false;
  init.store.onOpen((log) => {
    const copy = new LogCopy(log, init);
    copies.push(copy);
    log.onWrite(() => {
      // After a failure, retry only at intervals and not with every line.
      if (isScheduled || isFailing || !copy.isHalfFull) return;
      isScheduled = true;
      schedule();
    });
  });

  const flushAll = async () => {
    if (!isReady) return;
    try {
      await makeFolder(init.folder, 0o755);
      for (const copy of copies) await copy.flush();
      isFailing = false;
    } catch (error) {
      if (!isFailing)
        init.log.error({ folder: init.folder, error: String(error) }, 'logs cannot be written to disk');
      isFailing = true;
    }
  };
  /** One after the other: two at once would write the same bytes. */
  const schedule = () => {
    if (isStopped) return;
    flushing = flushing.then(flushAll).finally(() => {
      isScheduled = false;
    });
  };
  const timer = setInterval(schedule, init.flushIntervalMs ?? 15_000);

  const stop = async () => {
    clearInterval(timer);
    schedule();
    isStopped = true;
    await flushing;
    for (const copy of copies) await copy[Symbol.asyncDispose]();
  };
  return { stop, [Symbol.asyncDispose]: stop };
}

/** Writes one log to its file. */
class LogCopy implements AsyncDisposable {
  readonly #log: ServiceLog;
  readonly #path: string;
  readonly #rotateBytes: number;
  readonly #reader: LogReader;
  /** Bytes that were read but not written yet. */
  #pending: Buffer = Buffer.alloc(0);
  #file: FileHandle | undefined;
  #sizeBytes = 0;

  constructor(log: ServiceLog, { folder, rotateBytes }: LogCopiesInit) {
    this.#log = log;
    this.#reader = new LogReader(log.ring, 0);
    this.#path = join(folder, `${log.id}.log`);
    this.#rotateBytes = rotateBytes ?? 5 * 1024 * 1024;
  }

  /** Whether half of the ring has not been written yet, so that bytes may soon be overwritten. */
  get isHalfFull(): boolean {
    const { ring } = this.#log;
    return ring.endOffset - this.#reader.offset >= ring.capacityBytes / 2;
  }

  async flush(): Promise<void> {
    for (;;) {
      if (this.#pending.length === 0) this.#pending = this.#reader.read(chunkBytes);
      if (this.#pending.length === 0) return;
      const file = await this.#opened();
      const { bytesWritten } = await file.write(this.#pending, 0, this.#lengthInFile());
      const isLineEnd = this.#pending[bytesWritten - 1] === lineBreak;
      this.#pending = this.#pending.subarray(bytesWritten);
      this.#sizeBytes += bytesWritten;
      const excessBytes = this.#sizeBytes - this.#rotateBytes;
      if (excessBytes >= (isLineEnd ? 0 : longestLineBytes)) await this.#rotate();
    }
  }

  /** How many of the pending bytes belong to the current file: up to the first end of a line at its limit. */
  #lengthInFile(): number {
    const last = this.#pending.indexOf(lineBreak, Math.max(0, this.#rotateBytes - this.#sizeBytes - 1));
    return last < 0 ? this.#pending.length : last + 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #opened(): Promise<FileHandle> {
    if (this.#file !== undefined) return this.#file;
    this.#file = await open(this.#path, 'a', fileMode);
    this.#sizeBytes = (await this.#file.stat()).size;
    return this.#file;
  }

  async #rotate(): Promise<void> {
    await this[Symbol.asyncDispose]();
    await rename(this.#path, `${this.#path}.1`);
  }
}
