import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { pause } from '@nodewright/async';
import type { ServiceLog } from './log-store.ts';

const defaultPeriodMs = 500;
const chunkBytes = 64 * 1024;
/**
 * The writer is less trusted than this process, so it must not redirect it by a link to files that only this
 * process may read.
 */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Copies a file that another program writes into a log: from its start, as it grows, and after a rotation. As
 * long as there is no readable file, no log is opened.
 *
 * @param openLog returns the log; called for each write
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
      // A file that cannot be read now may become readable later.
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
  /** Identity of the rotated file at the time when the current file was opened. */
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
    // The writer may have added to the old file before it opened the new one.
    await this.#readToEnd();
    if (this.#file !== undefined) await this.#readMissed();
    await this.#take(this.#path);
  }

  /**
   * Reads the rotated file if the current file was rotated more than once since the last look. Then at least
   * one file was missed. The newest of them is read; older ones are lost, so the log gets a notice.
   */
  async #readMissed(): Promise<void> {
    const aside = await this.#identityOf(`${this.#path}.1`);
    if (aside === undefined || aside === this.#identity || aside === this.#asideIdentity) return;
    this.#openLog().write('[a part of this log may be lost: it was rotated faster than read]\n');
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

/** Identifies a file. The birth time tells it from a later file with the same inode number. */
function identityOf(facts: Stats | undefined): string | undefined {
  return facts === undefined ? undefined : `${facts.ino} ${facts.birthtimeMs}`;
}
