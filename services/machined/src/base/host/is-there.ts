import { lstatSync } from 'node:fs';

/** Whether the path exists. One that cannot be looked at just now counts as existing. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
