import { type FSWatcher, watch } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { faultFrom } from '@nodewright/fault';

/** Delay before the next attempt while there is no directory to watch, in milliseconds. */
const missingDirectoryRetryMs = 200;

/** A signal that stays set until `wait` has returned, so that no change between two reads is lost. */
class ChangeSignal {
  #changed = Promise.withResolvers<void>();

  set(): void {
    this.#changed.resolve();
  }

  /** Waits until the signal is set, or until the timeout. */
  async wait(timeoutMs?: number): Promise<void> {
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.set(), timeoutMs);
    await this.#changed.promise;
    clearTimeout(timer);
    this.#changed = Promise.withResolvers<void>();
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
 * Watches the directory at a path. It watches the directory because a file that is replaced by rename is a
 * new file, which a watch on the old file does not see.
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

  /**
   * Watches the directory that is now at the path. Returns `false` when it cannot be watched; the caller must
   * retry later.
   */
  async refresh(): Promise<boolean> {
    const identity = await identityOf(this.#path);
    if (identity !== undefined && identity === this.#identity) return true;
    this[Symbol.dispose]();
    if (identity === undefined) return false;
    try {
      this.#watcher = watch(this.#path, this.#onChange);
    } catch {
      // There are no inotify watches left, or the directory was just removed: the caller polls instead.
      return false;
    }
    this.#watcher.on('error', () => {
      this[Symbol.dispose]();
      this.#onChange();
    });
    // The directory was replaced before the watch began, so it is unknown which of the two is watched.
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
 * Yields the content of a file at first and after each change; `undefined` while the file does not exist. The
 * file may be replaced by rename or written in place (a partial write may then be visible), and its directory
 * may be removed and created again. Changes that are faster than the consumer are merged. Ends when `signal`
 * aborts.
 *
 * @throws Fault when the file exists but cannot be read
 */
export async function* watchFile(
  path: string,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array | undefined, void, undefined> {
  const changes = new ChangeSignal();
  const setChanged = () => changes.set();
  using directory = new DirectoryWatch(dirname(path), setChanged);
  signal.addEventListener('abort', setChanged);
  try {
    let last: Buffer | undefined;
    for (let first = true; !signal.aborted; first = false) {
      // The watch begins before the read, so that a change after the read sets the signal.
      const watched = await directory.refresh();
      const content = await readIfPresent(path);
      const isNew = content === undefined ? last !== undefined : !last?.equals(content);
      if (first || isNew) yield content;
      last = content;
      if (signal.aborted) return;
      await changes.wait(watched ? undefined : missingDirectoryRetryMs);
    }
  } finally {
    signal.removeEventListener('abort', setChanged);
  }
}
