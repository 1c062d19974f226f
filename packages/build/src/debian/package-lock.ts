import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Architecture } from '../architecture.ts';
import { type DebianArchiveName, isDebianArchiveName } from './archives.ts';

/** A Debian package of the lock file. */
export interface LockedPackage {
  readonly version: string;
  /** The archive of Debian that has it. */
  readonly archive: DebianArchiveName;
  /** Path of the package below the root of a mirror of that archive: `pool/main/…`. */
  readonly path: string;
  readonly bytes: number;
  /** In hex, of the package. */
  readonly sha256: string;
  /** When it was chosen, if that was later than the others. */
  readonly snapshot?: string;
}

export type LockedPackages = Readonly<Record<Architecture, Readonly<Record<string, LockedPackage>>>>;

export interface PackageLock {
  /** When the versions were chosen, as `20260101T000000Z`: the snapshot archive of that time has them. */
  readonly snapshot: string;
  /** The suites of which the newest versions were chosen. */
  readonly suites: readonly string[];
  readonly packages: LockedPackages;
}

export const lockFile = 'rootfs/packages.lock.json';

/** @throws Error that names the file when it is not a lock file */
export function readPackageLock(path: string): PackageLock {
  try {
    const lock = JSON.parse(readFileSync(path, 'utf8')) as PackageLock;
    if (!Array.isArray(lock.suites) || typeof lock.packages !== 'object')
      throw new Error('no packages in it');
    for (const [name, locked] of Object.values(lock.packages).flatMap((packages) =>
      Object.entries(packages),
    )) {
      if (!isDebianArchiveName(locked.archive)) throw new Error(`it names no archive for ${name}`);
    }
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
 * @param mirrors roots of mirrors, without a trailing slash; packages of other hosts are left out
 */
export function parsePrintedUris(
  output: string,
  mirrors: readonly { readonly archive: DebianArchiveName; readonly root: string }[],
): Record<string, LockedPackage> {
  const line = /^'(\S+)' ([^_\s]+)_([^_\s]+)_\S+\.deb (\d+) SHA256:([0-9a-f]{64})$/;
  const found = output.split('\n').flatMap((text): [string, LockedPackage][] => {
    const [, uri = '', name = '', version = '', bytes = '', sha256 = ''] = line.exec(text) ?? [];
    const mirror = mirrors.find(({ root }) => uri.startsWith(`${root}/`));
    if (mirror === undefined) return [];
    const { archive, root } = mirror;
    const path = decodeURIComponent(uri.slice(root.length + 1));
    return [[name, { version: decodeURIComponent(version), archive, path, bytes: Number(bytes), sha256 }]];
  });
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * A lock with the packages that it lacks. The others keep their versions, except those of the same source as an added one: a library and
 * its headers must be of one version.
 *
 * @param snapshot time of `newest`, as `20260101T000000Z`
 */
export function addToLock(lock: PackageLock, newest: LockedPackages, snapshot: string): PackageLock {
  const merged = Object.entries(newest).map(([architecture, found]) => {
    const kept = lock.packages[architecture as Architecture];
    const added = Object.entries(found).filter(([name]) => kept[name] === undefined);
    const renewed = new Set(added.map(([, locked]) => sourceOf(locked)));
    const all = Object.entries(found).map(([name, locked]) => {
      const old = kept[name];
      return [name, old === undefined || renewed.has(sourceOf(locked)) ? { ...locked, snapshot } : old];
    });
    return [architecture, Object.fromEntries(all)];
  });
  return { ...lock, packages: Object.fromEntries(merged) };
}

/** The name of the source package, which is that of the folder in the pool of every archive. */
export const sourceOf = ({ path }: LockedPackage): string => dirname(path).split('/').at(-1) ?? path;
