/** Files that show the version 2 cgroup of this process. */
export interface CgroupPlace {
  /** Content of `/proc/self/cgroup`. */
  readonly membership: string;
  /** Content of `/proc/self/mountinfo`. */
  readonly mounts: string;
}

/**
 * The folder of this process's version 2 cgroup; undefined when it sees none, or when it is the root cgroup,
 * which belongs to the administrator of the machine. Source: cgroups(7).
 */
export function ownCgroupFolder({ membership, mounts }: CgroupPlace): string | undefined {
  const path = /^0::(\/.*)$/m.exec(membership)?.[1];
  if (path === undefined || path === '/') return undefined;
  for (const line of mounts.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', mountPoint = ''] = before.split(' ');
    if (!after.startsWith('cgroup2 ')) continue;
    if (root === '/') return mountPoint + path;
    if (path === root) return mountPoint;
    if (path.startsWith(`${root}/`)) return mountPoint + path.slice(root.length);
  }
  return undefined;
}
