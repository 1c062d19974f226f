import { join } from 'node:path';
import { newestPackages } from '../../rootfs/debian/newest-packages.ts';
import { lockFile, readPackageLock } from '../../rootfs/debian/package-lock.ts';
import { architectures } from '../images/architecture.ts';
import type { KnownVersion } from './freshness-rows.ts';

/** What is known about the locked packages of Debian. Its archive does not say when a version appeared: after the lock was made. */
export function knownDebianVersions(checkout: string): KnownVersion[] {
  const lock = readPackageLock(join(checkout, lockFile));
  return architectures.flatMap((architecture) =>
    Object.entries(newestPackages(architecture)).flatMap(([name, { version: newest }]): KnownVersion[] => {
      const locked = lock.packages[architecture][name];
      if (locked === undefined) return [];
      const { version, snapshot = lock.snapshot } = locked;
      return [{ kind: 'debian', name, version, newest, newerSince: dateOf(snapshot), isLatest: true }];
    }),
  );
}

/** From `20260101T000000Z`. */
const dateOf = (snapshot: string) =>
  new Date(snapshot.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
