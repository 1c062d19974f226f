// `make rootfs-lock`: writes the newest versions of the packages of the image into packages.lock.json. With `--add` only
// those that it lacks, with the other packages of their sources; the others keep their versions. With `--print` it writes nothing, and
// prints the newest versions as JSON.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { architectures } from '@nodewright/build';
import {
  addToLock,
  debianArchives,
  type LockedPackages,
  lockFile,
  type PackageLock,
  readPackageLock,
} from '@nodewright/build/debian';
import { newestPackages } from './debian/newest-packages.ts';
import { runBuild } from './workshop.ts';

function writeLock(newest: LockedPackages): void {
  const snapshot = new Date().toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '');
  const path = join(import.meta.dirname, '..', lockFile);
  const suites = Object.values(debianArchives).flatMap((archive) => archive.suites);
  const lock: PackageLock = process.argv.includes('--add')
    ? addToLock(readPackageLock(path), newest, snapshot)
    : { suites, snapshot, packages: newest };
  writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`);
  const count = Object.keys(newest.amd64).length;
  process.stdout.write(`locked ${count} packages for ${architectures.join(' and ')} in ${lockFile}\n`);
}

await runBuild('rootfs-lock', async () => {
  const newest = Object.fromEntries(
    architectures.map((architecture) => [architecture, newestPackages(architecture)]),
  ) as LockedPackages;
  if (process.argv.includes('--print')) process.stdout.write(JSON.stringify(newest));
  else writeLock(newest);
});
