import { type FSWatcher, readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Between looks when nothing tells of changes, in milliseconds: the directory may not exist yet. */
const pollMs = 1000;
/** Changes that come together are one change, in milliseconds. */
const settleMs = 10;

/** The bytes of a file, or undefined when there is none. */
function readIfPresent(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const isSame = (left: Uint8Array | undefined, right: Uint8Array | undefined) =>
  left === undefined || right === undefined ? left === right : Buffer.compare(left, right) === 0;

/**
 * The content of the file at `path`: what it is now, then what it becomes each time it is replaced or removed
 * (undefined). Made for files that are replaced by rename; the directory may come later than the watch. Changes in
 * quick succession are one change, and content that did not change is not told again. Ends when `signal` aborts.
 */
export async function* watchFile(
  path: string,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<Uint8Array | undefined, void, undefined> {
  let wake = Promise.withResolvers<void>();
  const poke = () => wake.resolve();
  signal.addEventListener('abort', poke, { once: true });
  // The directory is watched, not the file: a rename over the file would leave a watch on the old one.
  let watcher: FSWatcher | undefined;
  const openWatcher = () => {
    if (watcher !== undefined) return;
    try {
      const name = basename(path);
      watcher = watch(dirname(path), { persistent: false }, (_event, changed) => {
        if (changed === null || changed === name) poke();
      });
      watcher.on('error', () => {
        watcher?.close();
        watcher = undefined;
        poke();
      });
    } catch {
      // No directory yet: the timer looks again.
    }
  };
  // Also a safety net for file systems that do not tell of changes.
  const timer = setInterval(poke, pollMs);
  try {
    let last: Uint8Array | undefined;
    let isFirst = true;
    while (!signal.aborted) {
      openWatcher();
      wake = Promise.withResolvers<void>();
      const content = readIfPresent(path);
      if (isFirst || !isSame(content, last)) {
        isFirst = false;
        last = content;
        yield content;
        if (signal.aborted) return;
        continue;
      }
      await wake.promise;
      await new Promise((resolve) => setTimeout(resolve, settleMs));
    }
  } finally {
    clearInterval(timer);
    watcher?.close();
    signal.removeEventListener('abort', poke);
  }
}
