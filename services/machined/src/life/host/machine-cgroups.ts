import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@nodewright/files';

/** Where the control groups of a machine are mounted. */
export const cgroupFolder = '/sys/fs/cgroup';
/** The controllers that limit containers. Source: Talos v1.14: cgroups. */
const controllers = ['cpu', 'cpuset', 'hugetlb', 'io', 'memory', 'pids'];

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
  const available = readFileSync(join(folder, 'cgroup.controllers'), 'utf8').trim().split(/\s+/);
  const wanted = controllers.filter((name) => available.includes(name)).map((name) => `+${name}`);
  writeFileSync(join(folder, 'cgroup.subtree_control'), wanted.join(' '));
}
