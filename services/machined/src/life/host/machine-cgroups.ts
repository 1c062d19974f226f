import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@nodewright/files';
import { passControllersOn } from '../../base/host/cgroup-limits.ts';

/** Where the control groups of a machine are mounted. */
export const cgroupFolder = '/sys/fs/cgroup';

/**
 * Moves this process from the root of the control groups to the leaf `init`, and lets the groups below the root limit what
 * is in them: machined is then accounted for like every other program, and containers can have limits.
 *
 * @throws Error when the kernel refuses the move, or a controller that it has
 */
export async function enterInitCgroup(folder: string, pid: number): Promise<void> {
  const leaf = join(folder, 'init');
  await makeFolder(leaf);
  writeFileSync(join(leaf, 'cgroup.procs'), String(pid));
  passControllersOn(folder);
}
