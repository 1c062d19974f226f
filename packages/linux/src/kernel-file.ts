import { closeSync, openSync, readSync } from 'node:fs';
import { Fault, faultFrom } from '@nodewright/fault';

const initialBufferBytes = 16 * 1024;

/** A file of procfs or sysfs that is read repeatedly. */
export interface KernelFile extends Disposable {
  readonly path: string;
  /**
   * The complete current content. The read is synchronous: the kernel answers from memory, and the thread
   * pool would cost ten times as much as the read itself.
   */
  readText(): string;
}

/**
 * Opens `path` once and keeps the descriptor. Every `readText` reads from the beginning, which makes the
 * kernel generate the content again. The caller disposes of it.
 *
 * @throws Fault of the kind of the errno, with the path in its text.
 */
export function openKernelFile(path: string): KernelFile {
  const descriptor = attempt(path, () => openSync(path, 'r'));
  let buffer = Buffer.allocUnsafe(initialBufferBytes);
  let isOpen = true;

  return {
    path,
    readText() {
      let length = 0;
      for (;;) {
        // The kernel returns such files in pieces of a page or more; only a read of zero bytes is the end.
        const count = attempt(path, () =>
          readSync(descriptor, buffer, length, buffer.length - length, length),
        );
        if (count === 0) return buffer.toString('utf8', 0, length);
        length += count;
        if (length === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
      }
    },
    [Symbol.dispose]() {
      if (!isOpen) return;
      isOpen = false;
      closeSync(descriptor);
    },
  };
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `cannot read "${path}": ${message}`, { cause: error });
  }
}
