import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { pause } from '@nodewright/async';
import type { ServiceLog } from './log-store.ts';

const defaultPeriodMs = 500;
const chunkBytes = 64 * 1024;
/** The writer is trusted less than this process: it must not lead it to files that only this process may read. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Copies a file that somebody else writes into a log, from its beginning and then as it grows, also after it was put
 * aside and begun anew. While there is no file that can be read there is no log.
 *
 * @param openLog gives the log; called when there is something for it.
 */
export function followLogFile(
  path: string,
  openLog: () => ServiceLog,
  periodMs = defaultPeriodMs,
): AsyncDisposable {
  const stop = new AbortController();
  const follower = new FileFollower(path, openLog);
  const follow = async () => {
    while (!stop.signal.aborted) {
      // What cannot be read now may be readable later.
      await follower.readOn().catch(() => {});
      await pause(periodMs, stop.signal);
    }
  };
  const ended = follow();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
      await follower[Symbol.asyncDispose]();
    },
  };
}

class FileFollower implements AsyncDisposable {
  readonly #path: string;
  readonly #openLog: () => ServiceLog;
  #file: FileHandle | undefined;
  #identity: string | undefined;
  /** Of the file that was put aside before the one that is read. */
  #asideIdentity: string | undefined;
  #offset = 0;

  constructor(path: string, openLog: () => ServiceLog) {
    this.#path = path;
    this.#openLog = openLog;
  }

  async readOn(): Promise<void> {
    await this.#readToEnd();
    const facts = await lstat(this.#path);
    const isSame = identityOf(facts) === this.#identity;
    if (this.#file !== undefined && isSame && facts.size >= this.#offset) return;
    // The writer may have added to the old file before it took the new one.
    await this.#readToEnd();
    if (this.#file !== undefined) await this.#readMissed();
    await this.#take(this.#path);
  }

  /**
   * What was put aside between two looks. When it is not the file that was read last, the writer was so quick that there
   * has been at least one more: the one that is still there is read, and whether others were before it, nobody knows.
   */
  async #readMissed(): Promise<void> {
    const aside = await this.#identityOf(`${this.#path}.1`);
    if (aside === undefined || aside === this.#identity || aside === this.#asideIdentity) return;
    this.#openLog().write('[a part of this log may be lost: it was put aside faster than read]\n');
    await this.#take(`${this.#path}.1`);
  }

  async #take(path: string): Promise<void> {
    await this[Symbol.asyncDispose]();
    const file = await open(path, flags);
    const facts = await file.stat();
    if (!facts.isFile()) return await file.close();
    this.#file = file;
    this.#identity = identityOf(facts);
    this.#asideIdentity = await this.#identityOf(`${this.#path}.1`);
    this.#offset = 0;
    await this.#readToEnd();
  }

  async #identityOf(path: string): Promise<string | undefined> {
    return identityOf(await lstat(path).catch(() => undefined));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #readToEnd(): Promise<void> {
    if (this.#file === undefined) return;
    const buffer = Buffer.allocUnsafe(chunkBytes);
    for (;;) {
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      this.#openLog().write(buffer.subarray(0, bytesRead));
    }
  }
}

/** Tells a file from others, also from one that got its number after it was gone. */
function identityOf(facts: Stats | undefined): string | undefined {
  return facts === undefined ? undefined : `${facts.ino} ${facts.birthtimeMs}`;
}
