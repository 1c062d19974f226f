import { watch } from 'node:fs';
import { deviceLinkFolders } from '@nodewright/linux';

/**
 * Calls `onChange` when links to block devices come or go, until it is disposed. Keeps no process alive.
 *
 * @param folder default `/dev/disk`.
 * @returns undefined when there is nothing to watch
 */
export function watchDeviceLinks(onChange: () => void, folder = '/dev/disk'): Disposable | undefined {
  using scope = new DisposableStack();
  try {
    for (const path of deviceLinkFolders(folder)) {
      const watcher = scope.adopt(watch(path, { persistent: false }, onChange), (opened) => opened.close());
      // It has gone: so have its links.
      watcher.on('error', onChange);
    }
    scope.adopt(watch(folder, { persistent: false }, onChange), (opened) => opened.close());
  } catch {
    return undefined;
  }
  const watchers = scope.move();
  return { [Symbol.dispose]: () => watchers.dispose() };
}
