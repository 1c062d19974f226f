import type { FileHandle } from 'node:fs/promises';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@nodewright/files';
import type { Logger } from '@nodewright/telemetry';
import { LogReader } from '../domain/log-reader.ts';
import type { LogStore, ServiceLog } from './log-store.ts';

export interface LogCopiesInit {
  readonly store: LogStore;
  /** Folder of the files. */
  readonly folder: string;
  readonly log: Logger;
  /** Default 15 s. Source: Talos v1.14: log storage. */
  readonly flushIntervalMs?: number;
  /** A file is put aside as `<id>.log.1` once it is this large; default 5 MiB. */
  readonly rotateBytes?: number;
}

const fileMode = 0o640;
const chunkBytes = 64 * 1024;

/**
 * Writes every log of the store to `<folder>/<id>.log` at intervals, what is in memory already included, and once
 * more when it is disposed. A log that fills half of its memory between two intervals is written at once, before any of
 * it is overwritten. A folder that cannot be written (a full disk) is reported once and tried again: the log in
 * memory goes on.
 */
export function openLogCopies(init: LogCopiesInit): AsyncDisposable {
  const copies: LogCopy[] = [];
  let flushing = Promise.resolve();
  let isFailing = false;
  let isAsked = false;
  init.store.onOpen((log) => {
    const copy = new LogCopy(log, init);
    copies.push(copy);
    log.onWrite(() => {
      // A disk that takes nothing is tried at intervals, not at every line.
      if (isAsked || isFailing || !copy.isHalfFull) return;
      isAsked = true;
      ask();
    });
  });

  const flushAll = async () => {
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
  const ask = () => {
    flushing = flushing.then(flushAll).finally(() => {
      isAsked = false;
    });
  };
  const timer = setInterval(ask, init.flushIntervalMs ?? 15_000);

  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await flushing;
      await flushAll();
      for (const copy of copies) await copy[Symbol.asyncDispose]();
    },
  };
}

/** The file of one log. */
class LogCopy implements AsyncDisposable {
  readonly #log: ServiceLog;
  readonly #path: string;
  readonly #rotateBytes: number;
  readonly #reader: LogReader;
  /** Read and not written yet. */
  #pending: Buffer = Buffer.alloc(0);
  #file: FileHandle | undefined;
  #sizeBytes = 0;

  constructor(log: ServiceLog, { folder, rotateBytes }: LogCopiesInit) {
    this.#log = log;
    this.#reader = new LogReader(log.ring, 0);
    this.#path = join(folder, `${log.id}.log`);
    this.#rotateBytes = rotateBytes ?? 5 * 1024 * 1024;
  }

  /** Whether so much waits that it may be overwritten before long. */
  get isHalfFull(): boolean {
    const { ring } = this.#log;
    return ring.endOffset - this.#reader.offset >= ring.capacityBytes / 2;
  }

  async flush(): Promise<void> {
    for (;;) {
      if (this.#pending.length === 0) this.#pending = this.#reader.read(chunkBytes);
      if (this.#pending.length === 0) return;
      const file = await this.#opened();
      const { bytesWritten } = await file.write(this.#pending);
      this.#pending = this.#pending.subarray(bytesWritten);
      this.#sizeBytes += bytesWritten;
      if (this.#sizeBytes >= this.#rotateBytes) await this.#rotate();
    }
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
