import { closeSync, constants, fstatSync, openSync, read, readSync } from 'node:fs';
import { fileFault } from '../domain/file-fault.ts';
import { type FileStat, fileStat } from './file-stat.ts';
import type { HostPath } from './host-path.ts';

/** A file that is open for reading, from its begin. Both ways of reading go on where the last one ended. */
export interface NodeFile extends Disposable, AsyncDisposable {
  /** Of what is open, whatever has taken its place meanwhile. */
  readonly stat: FileStat;
  /** Fills the buffer from its start as far as the kernel has bytes for one call; 0 at the end. */
  read(buffer: Uint8Array): number;
  /** The same from the thread pool. One at a time; disposing asynchronously waits for it, and nothing else may then. */
  readLater(buffer: Uint8Array): Promise<number>;
}

/**
 * Never waits, neither for the other end of a pipe nor for data of a file that has none yet; takes no terminal and
 * follows no link.
 */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | constants.O_NOFOLLOW;

/** @param path as it is called on the node, for messages */
export function openNodeFile(path: string, hostPath: HostPath): NodeFile {
  const fail = (operation: string, error: unknown) => fileFault(operation, path, error);
  let descriptor: number;
  try {
    descriptor = openSync(hostPath, openFlags);
  } catch (error) {
    throw fail('open', error);
  }
  let stat: FileStat;
  try {
    stat = fileStat(fstatSync(descriptor));
  } catch (error) {
    closeSync(descriptor);
    throw fail('stat', error);
  }
  let pending: Promise<unknown> | undefined;

  return {
    stat,
    read(buffer) {
      try {
        return readSync(descriptor, buffer, 0, buffer.length, null);
      } catch (error) {
        throw fail('read', error);
      }
    },
    readLater(buffer) {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      read(descriptor, buffer, 0, buffer.length, null, (error, count) =>
        error === null ? resolve(count) : reject(fail('read', error)),
      );
      pending = promise.catch(() => {});
      return promise;
    },
    [Symbol.dispose]: () => closeSync(descriptor),
    async [Symbol.asyncDispose]() {
      // The number of a descriptor that is read from must not go to another file.
      await pending;
      closeSync(descriptor);
    },
  };
}

/** A file whose content is made here. */
export function openBytes(content: Uint8Array, stat: FileStat): NodeFile {
  let at = 0;
  const take = (buffer: Uint8Array) => {
    const part = content.subarray(at, at + buffer.length);
    buffer.set(part);
    at += part.length;
    return part.length;
  };
  return {
    stat,
    read: take,
    readLater: async (buffer) => take(buffer),
    [Symbol.dispose]() {},
    async [Symbol.asyncDispose]() {},
  };
}
