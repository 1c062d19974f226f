import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { architectures } from '@nodewright/build';
import { type LockedPackages, lockFile, readPackageLock } from '@nodewright/build/debian';
import type { KnownVersion } from './freshness-rows.ts';

/**
 * What is known about the locked packages of Debian. Its archive does not say when a version appeared: after the lock was made. Which
 * packages the image needs is known to the program that locks them.
 *
 * @throws Error whose last line is the reason
 */
export function knownDebianVersions(checkout: string): KnownVersion[] {
  const lock = readPackageLock(join(checkout, lockFile));
  const program = join(checkout, 'rootfs/lock-packages.ts');
  const printed = execFileSync(process.execPath, [program, '--print'], {
    ...{ encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const found = JSON.parse(printed) as LockedPackages;
  return architectures.flatMap((architecture) =>
    Object.entries(found[architecture]).flatMap(([name, { version: newest }]): KnownVersion[] => {
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
