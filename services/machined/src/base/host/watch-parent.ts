import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';

/**
 * Calls `onGone` when standard input is a pipe or a socket and its other end is closed: the process that
 * started this one has ended, for whatever reason. Standard input from a file, a terminal or /dev/null tells
 * nothing about the parent.
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
