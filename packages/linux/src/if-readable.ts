import { existsSync, readFileSync } from 'node:fs';

/**
 * The result of `read`; undefined when it fails. For files that may disappear at any moment, or belong to
 * another user, where a failure is not an error.
 */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * The text of a small file; empty when it cannot be read. Most devices lack most files of sysfs, and the exception of a
 * failed read takes many times as long as to check whether the file exists.
 */
export function textIfReadable(path: string): string {
  return (existsSync(path) ? ifReadable(() => readFileSync(path, 'utf8')) : undefined) ?? '';
}
