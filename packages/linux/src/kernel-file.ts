import { closeSync, openSync, readSync } from 'node:fs';
import { Fault, faultFrom } from '@nodewright/fault';

const initialBufferBytes = 16 * 1024;

/** A file of procfs or sysfs that is read again and again. */
export interface KernelFile extends Disposable {
  readonly path: string;
  /**
   * The whole content as it is now. Reads synchronously: the kernel answers from memory, and a trip through the
   * thread pool costs ten times the read itself.
   */
  readText(): string;
}

/**
 * Opens `path` once and keeps the descriptor. Every `readText` starts at the beginning again, which makes the kernel
 * render the file anew. The caller disposes it.
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
        // Files of the seq_file kind come in pieces of a page or more; only a read of nothing is the end.
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
