import { closeSync, constants, fstatSync, openSync, read, readSync } from 'node:fs';
import { fileFault } from '../domain/file-fault.ts';
import { type FileStat, fileStat } from './file-stat.ts';
import type { HostPath } from './host-path.ts';

/** A file that is open for reading, at first from its start. Both ways of reading continue at the same position. */
export interface NodeFile extends Disposable, AsyncDisposable {
  /** Mode, size, owner and time of the open file, even if another file has replaced it at its path. */
  readonly stat: FileStat;
  /** Fills the buffer with as many bytes as one system call returns; returns their number, 0 at the end of the file. */
  read(buffer: Uint8Array): number;
  /** Like `read`, but on the thread pool. Only one call at a time; while a call is pending, dispose asynchronously. */
  readLater(buffer: Uint8Array): Promise<number>;
}

/**
 * Opening never blocks: neither for the other end of a pipe nor for data. The file does not become the
 * controlling terminal, and links are not followed.
 */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | constants.O_NOFOLLOW;

/** @param path its path on the node, for messages */
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
      // While a read is pending, the descriptor must stay open: its number could be reused for another file.
      await pending;
      closeSync(descriptor);
    },
  };
}

/** A file with the given content. */
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
