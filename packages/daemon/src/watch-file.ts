import { type FSWatcher, watch } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { faultFrom } from '@nodewright/fault';

/** How soon to look again while there is no directory to watch, in milliseconds. */
const missingDirectoryRetryMs = 200;

/** A bell that stays rung until somebody has heard it: no change is lost between two looks. */
class Bell {
  #rung = Promise.withResolvers<void>();

  ring(): void {
    this.#rung.resolve();
  }

  /** Waits for a ring since the last call, or for the time to pass. */
  async heard(timeoutMs?: number): Promise<void> {
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.ring(), timeoutMs);
    await this.#rung.promise;
    clearTimeout(timer);
    this.#rung = Promise.withResolvers<void>();
  }
}

async function identityOf(directory: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(directory);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/**
 * Watches whatever directory stands at a path. The directory, not the file: a file that is replaced by a rename is a
 * new file, which a watch on the old one never sees.
 */
class DirectoryWatch implements Disposable {
  readonly #path: string;
  readonly #onChange: () => void;
  #watcher: FSWatcher | undefined;
  #identity: string | undefined;

  constructor(path: string, onChange: () => void) {
    this.#path = path;
    this.#onChange = onChange;
  }

  /** Sees to it that the directory now at the path is the one being watched. False: it cannot be, look again later. */
  async refresh(): Promise<boolean> {
    const identity = await identityOf(this.#path);
    if (identity !== undefined && identity === this.#identity) return true;
    this[Symbol.dispose]();
    if (identity === undefined) return false;
    try {
      this.#watcher = watch(this.#path, this.#onChange);
    } catch {
      // Out of watches, or removed since: looking again now and then serves as well.
      return false;
    }
    this.#watcher.on('error', () => {
      this[Symbol.dispose]();
      this.#onChange();
    });
    // Replaced between the look and the watch: which of the two is being watched is then unknown.
    if ((await identityOf(this.#path)) !== identity) {
      this[Symbol.dispose]();
      return false;
    }
    this.#identity = identity;
    return true;
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#identity = undefined;
  }
}

async function readIfPresent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw faultFrom(error);
  }
}

/**
 * The content of a file now and whenever it is different; `undefined` while there is no such file. The file may be
 * replaced by rename or written in place (then halves of it may show), and its directory may come and go. Changes
 * that follow each other faster than they are consumed are folded into one. Ends when `signal` aborts; throws a Fault
 * when the file is there and cannot be read.
 */
export async function* watchFile(
  path: string,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array | undefined, void, undefined> {
  const bell = new Bell();
  const ring = () => bell.ring();
  using directory = new DirectoryWatch(dirname(path), ring);
  signal.addEventListener('abort', ring);
  try {
    let last: Buffer | undefined;
    for (let first = true; !signal.aborted; first = false) {
      // The watch comes before the look, so that a change after the look rings.
      const watched = await directory.refresh();
      const content = await readIfPresent(path);
      const isNew = content === undefined ? last !== undefined : !last?.equals(content);
      if (first || isNew) yield content;
      last = content;
      if (signal.aborted) return;
      await bell.heard(watched ? undefined : missingDirectoryRetryMs);
    }
  } finally {
    signal.removeEventListener('abort', ring);
  }
}
