import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LockedTools } from '../debian/locked-tools.ts';

/** Returns a function that writes the kernel modules of the root, with their index, below a folder. */
export const modulesOfRoot =
  (squashfs: Buffer, work: string, tools: LockedTools) =>
  (folder: string): void => {
    const file = join(work, 'root-for-modules.squashfs');
    writeFileSync(file, squashfs);
    const options = ['-no-progress', '-quiet', '-no-xattrs', '-force', '-dest', folder];
    tools.run('usr/bin/unsquashfs', [...options, file, 'usr/lib/modules']);
  };

/** The release of the kernel whose modules `place` writes. @param folder that does not exist */
export function kernelRelease(place: (folder: string) => void, folder: string): string {
  place(folder);
  const [release, ...others] = readdirSync(join(folder, 'usr/lib/modules'));
  if (release === undefined || others.length > 0)
    throw new Error('the root has not the modules of one kernel');
  return release;
}
