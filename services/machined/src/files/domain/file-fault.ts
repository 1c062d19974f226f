import { getSystemErrorMessage } from 'node:util';
import { Fault, faultFrom } from '@nodewright/fault';
import { textFromBytes } from './byte-text.ts';
import { maxFolderDepth } from './path-limits.ts';

/** Where the words of our runtime are not those that users know from Go. */
const words: Readonly<Record<string, string>> = {
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
  EIO: 'input/output error',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  ETOODEEP: `more than ${maxFolderDepth} folders deep`,
  ENXIO: 'no such device or address',
};

/** An error as the kernel's, for what machined finds out by itself. ETOODEEP is ours: {@link maxFolderDepth}. */
export function pathError(code: 'ELOOP' | 'ENOTDIR' | 'ENAMETOOLONG' | 'ETOODEEP'): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

/**
 * The failure of an operation on a file, in the words of the reference: `lstat /x: no such file or directory`. Names
 * the path on the node and never the one on the host.
 *
 * @param path as bytes
 */
export function fileFault(operation: string, path: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  const { code = '', errno } = error as NodeJS.ErrnoException;
  const text = words[code] ?? (errno === undefined ? code : getSystemErrorMessage(errno));
  return new Fault(faultFrom(error).kind, `${operation} ${textFromBytes(path)}: ${text}`, { cause: error });
}
