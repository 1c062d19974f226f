import { closeSync, openSync, writeSync } from 'node:fs';

/**
 * Sets a kernel parameter. The file is never created: a kernel without the parameter has none.
 *
 * @throws Error of Node.js: `ENOENT` when the kernel has no such parameter, `EINVAL` for a value that it refuses
 */
export function writeKernelParameter(path: string, value: string): void {
  const file = openSync(path, 'r+');
  try {
    writeSync(file, value);
  } finally {
    closeSync(file);
  }
}
