import { closeSync, constants, openSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Bytes that a socket address can hold, without the closing NUL. Source: unix(7). */
const socketPathLimit = 107;

/** A socket path that the kernel accepts, valid until it is disposed of. */
export interface UnixPath extends Disposable {
  readonly path: string;
}

/**
 * A short path for the socket at `path`. For a long path it opens the directory and uses
 * `/proc/self/fd/N/name`, which works for bind and connect. The directory must exist.
 */
export function openUnixPath(path: string): UnixPath {
  if (Buffer.byteLength(path) <= socketPathLimit) return { path, [Symbol.dispose]() {} };
  const directory = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${directory}/${basename(path)}`,
    [Symbol.dispose]: () => closeSync(directory),
  };
}
