import { close, closeSync, constants, fstat, fstatSync, open, openSync, read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { Fault } from '@nodewright/fault';
import type { BoundedCalls } from '@nodewright/linux';
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

const calls = {
  open: promisify(open),
  fstat: promisify(fstat),
  read: promisify(read),
  close: promisify(close),
};

/**
 * Opens a file that may hang. `read` is not possible; every other call has a time limit, and disposing waits for nothing: the file
 * is closed when its file system answers.
 *
 * @param path its path on the node, for messages
 * @param place what hangs, as the subject of a message
 * @throws Fault, of kind `deadline-exceeded` when the place does not answer in time
 */
export async function openSlowFile(
  path: string,
  hostPath: HostPath,
  place: string,
  bounded: BoundedCalls,
): Promise<NodeFile> {
  const fail = (operation: string, error: unknown) => fileFault(operation, path, error);
  // Closing a file waits for some file systems, too.
  const closeLater = (descriptor: number) => bounded.finish(place, () => calls.close(descriptor));
  const openAndStat = async () => {
    const descriptor = await calls.open(hostPath, openFlags);
    try {
      return { descriptor, stat: fileStat(await calls.fstat(descriptor)) };
    } catch (error) {
      closeLater(descriptor);
      throw error;
    }
  };
  const release = (late: { readonly descriptor: number }) => closeLater(late.descriptor);
  const opened = await bounded.run(place, openAndStat, { release }).catch((error: unknown) => {
    throw fail('open', error);
  });
  const { descriptor, stat } = opened;
  let isOpen = true;
  let pending: Promise<unknown> = Promise.resolve();
  const dispose = () => {
    isOpen = false;
    pending.then(() => closeLater(descriptor));
  };

  return {
    stat,
    read() {
      throw new Fault('internal', `${place} may hang: it must not be read synchronously`);
    },
    async readLater(buffer) {
      // A read that is given up still writes into its buffer.
      const own = Buffer.allocUnsafeSlow(buffer.length);
      const readOnce = () => {
        if (!isOpen) throw new Fault('cancelled', `${path} was closed`);
        const reading = calls.read(descriptor, own, 0, own.length, null);
        pending = reading.catch(() => {});
        return reading;
      };
      try {
        const { bytesRead } = await bounded.run(place, async () => await readOnce());
        buffer.set(own.subarray(0, bytesRead));
        return bytesRead;
      } catch (error) {
        throw fail('read', error);
      }
    },
    [Symbol.dispose]: dispose,
    [Symbol.asyncDispose]: async () => dispose(),
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
