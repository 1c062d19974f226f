/**
 * Copies of the files with which programs look up names, for containers that machined makes. It replaces a file by renaming a new one, so a
 * container that had the file itself as a mount would keep the first version; in a folder it finds the newest one. Source: Talos v1.14:
 * writable areas.
 */
export const resolverFolder = '/system/resolved';
export const resolverFiles = ['hosts', 'resolv.conf'] as const;
