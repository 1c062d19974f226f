import { watch } from 'node:fs';
import { deviceLinkFolders } from '@nodewright/linux';

/**
 * Calls `onChange` when links to block devices are added or removed, until it is disposed of. It does not
 * keep the process alive.
 *
 * @param folder default `/dev/disk`.
 * @returns undefined when there is nothing to watch
 */
export function watchDeviceLinks(onChange: () => void, folder = '/dev/disk'): Disposable | undefined {
  using scope = new DisposableStack();
  try {
    for (const path of deviceLinkFolders(folder)) {
      const watcher = scope.adopt(watch(path, { persistent: false }, onChange), (opened) => opened.close());
      // The folder was removed with its links.
      watcher.on('error', onChange);
    }
    scope.adopt(watch(folder, { persistent: false }, onChange), (opened) => opened.close());
  } catch {
    return undefined;
  }
  const watchers = scope.move();
  return { [Symbol.dispose]: () => watchers.dispose() };
}
