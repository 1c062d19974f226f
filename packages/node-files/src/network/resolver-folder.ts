/**
 * The files with which programs look up names, for containers. machined replaces a file by renaming a new one, so a container that had
 * the file itself as a mount would keep the first version; in a folder it finds the newest one. `resolv.conf` in it is that of pods, whose
 * network is another one than the node's. Source: Talos v1.14: writable areas.
 */
export const resolverFolder = '/system/resolved';
/** Copies of the node's own files, for containers in the network of the node. */
export const nodeResolverFolder = `${resolverFolder}/node`;
export const nodeResolverFiles = ['hosts', 'resolv.conf'] as const;
