import { readFileSync } from 'node:fs';
import type { Architecture } from '../../tools/images/architecture.ts';

/** A Debian package of the lock file. */
export interface LockedPackage {
  readonly version: string;
  /** Path of the archive below a mirror's root: `pool/main/…`. */
  readonly path: string;
  readonly bytes: number;
  /** In hex, of the archive. */
  readonly sha256: string;
  /** When it was chosen, if that was later than the others. */
  readonly snapshot?: string;
}

export interface PackageLock {
  /** When the versions were chosen, as `20260101T000000Z`: the snapshot archive of that time has them. */
  readonly snapshot: string;
  readonly suite: string;
  readonly packages: Readonly<Record<Architecture, Readonly<Record<string, LockedPackage>>>>;
}

export const lockFile = 'rootfs/packages.lock.json';

/** @throws Error that names the file when it is not a lock file */
export function readPackageLock(path: string): PackageLock {
  try {
    const lock = JSON.parse(readFileSync(path, 'utf8')) as PackageLock;
    if (typeof lock.suite !== 'string' || typeof lock.packages !== 'object')
      throw new Error('no packages in it');
    return lock;
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @throws Error that says how to add the package */
export function lockedPackage(lock: PackageLock, architecture: Architecture, name: string): LockedPackage {
  const locked = lock.packages[architecture]?.[name];
  if (locked === undefined)
    throw new Error(`${lockFile} has no ${name} for ${architecture}: run make rootfs-lock`);
  return locked;
}

/**
 * Parses the output of `apt-get download --print-uris`.
 *
 * @param mirror root of the mirror, without a trailing slash
 */
export function parsePrintedUris(output: string, mirror: string): Record<string, LockedPackage> {
  const line = /^'(\S+)' ([^_\s]+)_([^_\s]+)_\S+\.deb (\d+) SHA256:([0-9a-f]{64})$/;
  const found = output.split('\n').flatMap((text): [string, LockedPackage][] => {
    const [, uri = '', name = '', version = '', bytes = '', sha256 = ''] = line.exec(text) ?? [];
    if (!uri.startsWith(`${mirror}/`)) return [];
    const path = decodeURIComponent(uri.slice(mirror.length + 1));
    return [[name, { version: decodeURIComponent(version), path, bytes: Number(bytes), sha256 }]];
  });
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}
