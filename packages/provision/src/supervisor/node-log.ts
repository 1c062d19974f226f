import { openSync, renameSync, statSync } from 'node:fs';

const rotateAboveBytes = 16 * 1024 * 1024;

/**
 * The file that a node's machined prints into, open for appending; the caller closes it. One that has grown past
 * 16 MiB becomes `<path>.1` first, so that a node that keeps dying does not fill the disk.
 */
export function openNodeLog(path: string): number {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > rotateAboveBytes)
    renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}
