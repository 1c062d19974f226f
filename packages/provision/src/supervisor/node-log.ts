import { openSync, renameSync, statSync } from 'node:fs';

const rotateAboveBytes = 16 * 1024 * 1024;

/**
 * Opens the file for the output of a node's machined for appending; the caller closes it. Renames a file of
 * more than 16 MiB to `<path>.1` first. A node that keeps dying can then not fill the disk.
 */
export function openNodeLog(path: string): number {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > rotateAboveBytes)
    renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}
