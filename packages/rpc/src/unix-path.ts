import { closeSync, constants, openSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Bytes that a socket address has room for, without the closing NUL. Source: unix(7). */
const socketPathLimit = 107;

/** A name of a socket that the kernel takes. It stays valid until it is disposed. */
export interface UnixPath extends Disposable {
  readonly path: string;
}

/**
 * A short name for the socket at `path`. Long paths go through a descriptor of their directory, as
 * `/proc/self/fd/N/name`: that binds and connects like the path itself, wherever a node's folder lies. The directory
 * must exist.
 */
export function openUnixPath(path: string): UnixPath {
  if (Buffer.byteLength(path) <= socketPathLimit) return { path, [Symbol.dispose]() {} };
  const directory = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${directory}/${basename(path)}`,
    [Symbol.dispose]: () => closeSync(directory),
  };
}
