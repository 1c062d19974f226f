/** Where this process stands among the cgroups of version 2. */
export interface CgroupPlace {
  /** Content of `/proc/self/cgroup`. */
  readonly membership: string;
  /** Content of `/proc/self/mountinfo`. */
  readonly mounts: string;
}

/**
 * The folder of the cgroup of version 2 that this process is in; undefined where it sees none, or where it is in the
 * root of the machine's, which belongs to whoever runs the machine. Source: cgroups(7).
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
