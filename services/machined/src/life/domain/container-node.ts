// A node in a container: what its engine must give so that it can run containers itself.
import type { ContainerCapability } from '@nodewright/contract';

/** One line for each capability that the engine did not grant. @param granted the effective capabilities, as a bit mask */
export function missingCapabilities(needed: readonly ContainerCapability[], granted: bigint): string[] {
  return needed
    .filter(({ number }) => ((granted >> BigInt(number)) & 1n) === 0n)
    .map(({ name, why }) => `the engine did not grant ${name}, with which a node ${why}`);
}

/**
 * Folders of the read-only image that pods and the kubelet write to, and the folders of the volume that outlives the container,
 * with their contents. Source: Talos v1.14: overlays.
 */
export const writtenFolders = [
  { path: '/etc/cni/net.d', folder: '/var/system/cni' },
  { path: '/etc/kubernetes', folder: '/var/system/kubernetes' },
] as const;

/** How a container gets control groups that it may change. */
export type CgroupAccess =
  | { readonly kind: 'present' }
  | { readonly kind: 'mount' }
  | { readonly kind: 'refused'; readonly reason: string };

/** The number of the cgroup namespace of the host. Source: Linux, numbers of namespaces. */
const hostNamespace = 'cgroup:[4026531835]';

export interface CgroupView {
  /** Where control groups are expected. */
  readonly folder: string;
  /** Content of `/proc/self/mountinfo`. */
  readonly mounts: string;
  /** Target of `/proc/self/ns/cgroup`. */
  readonly namespace: string;
}

/**
 * Decides how to get control groups. Engines mount them read-only, except for privileged containers. With CAP_SYS_ADMIN a
 * container may mount them again: in a cgroup namespace of its own it sees only what is below its own group.
 */
export function cgroupAccess({ folder, mounts, namespace }: CgroupView): CgroupAccess {
  if (namespace === hostNamespace) {
    const reason = 'the container shares the cgroup namespace of its host: start it with --cgroupns private';
    return { kind: 'refused', reason };
  }
  // A later mount on the same folder hides an earlier one.
  const line = mounts.split('\n').findLast((text) => text.split(' ')[4] === folder);
  const [before = '', after = ''] = line?.split(' - ') ?? [];
  const isWritable = before.split(' ')[5]?.split(',').includes('rw') === true;
  return after.startsWith('cgroup2 ') && isWritable ? { kind: 'present' } : { kind: 'mount' };
}
