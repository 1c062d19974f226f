import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';

/**
 * Calls `onGone` when standard input, if it is a pipe, is closed at its other end: whoever started this process is
 * gone, however that came about. Input from a file, a terminal or /dev/null says nothing about a parent.
 */
export function watchParent(input: Readable & { fd?: number }, onGone: () => void): Disposable {
  const stat = fstatSync(input.fd ?? 0);
  if (!stat.isFIFO() && !stat.isSocket()) return { [Symbol.dispose]() {} };
  input.on('end', onGone);
  input.on('error', onGone);
  input.resume();
  return {
    [Symbol.dispose]() {
      input.off('end', onGone);
      input.off('error', onGone);
      input.destroy();
    },
  };
}
