import { getSystemErrorMessage } from 'node:util';
import { Fault, faultFrom } from '@nodewright/fault';
import { textFromBytes } from './byte-text.ts';
import { maxFolderDepth } from './path-limits.ts';

/** Error texts of Go, where those of Node.js differ. */
const words: Readonly<Record<string, string>> = {
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
  EIO: 'input/output error',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  ETOODEEP: `more than ${maxFolderDepth} folders deep`,
  ENXIO: 'no such device or address',
};

/**
 * Creates an error with a code of the kernel, for errors that machined itself detects. ETOODEEP is not a code
 * of the kernel: see {@link maxFolderDepth}.
 */
export function pathError(code: 'ELOOP' | 'ENOTDIR' | 'ENAMETOOLONG' | 'ETOODEEP'): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

/**
 * Describes the failure of an operation on a file with the texts of Go: `lstat /x: no such file or
 * directory`. The path is that on the node, never that on the host.
 *
 * @param path as a byte string
 */
export function fileFault(operation: string, path: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  const { code = '', errno } = error as NodeJS.ErrnoException;
  const text = words[code] ?? (errno === undefined ? code : getSystemErrorMessage(errno));
  return new Fault(faultFrom(error).kind, `${operation} ${textFromBytes(path)}: ${text}`, { cause: error });
}
