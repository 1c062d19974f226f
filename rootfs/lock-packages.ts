// `make rootfs-lock`: writes the newest versions of the packages of the image into packages.lock.json. With `--add` only
// those that it lacks; the others keep their versions.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianMirror, withApt } from '../tools/engine/unpack-packages.ts';
import { type Architecture, architectures } from '../tools/images/architecture.ts';
import {
  type LockedPackage,
  lockFile,
  type PackageLock,
  parsePrintedUris,
  readPackageLock,
} from './debian/package-lock.ts';
import { membersOf } from './debian/unpack-deb.ts';
import { kernels } from './kernels.ts';
import {
  compilerPackages,
  debianSuite,
  kubernetesPackages,
  licencePackages,
  parts,
  toolPackages,
} from './recipe.ts';

const mirror = debianMirror();
const packages = Object.fromEntries(
  architectures.map((architecture) => [architecture, lockAll(architecture)]),
);

function lockAll(architecture: Architecture): Readonly<Record<string, LockedPackage>> {
  const wanted = new Set<string>([
    ...parts.filter(({ source }) => source.kind === 'debian').map(({ name }) => name),
    ...toolPackages(architecture),
    ...compilerPackages(architecture),
    ...kubernetesPackages,
    ...licencePackages,
  ]);
  return withApt({ suite: debianSuite, architecture }, ({ run, work }) => {
    // The name under which each kernel is locked, by the name of its package, which contains the version.
    const locks = new Map(
      Object.values(kernels).map(({ package: { [architecture]: meta } }) => {
        run(['download', '-qq', meta]);
        const [archive = ''] = globSync(`${meta}_*.deb`, { cwd: work });
        return [newestKernel(join(work, archive)), meta];
      }),
    );
    const all = [...wanted, ...locks.keys()];
    const found = parsePrintedUris(run(['download', '--print-uris', ...all]), mirror);
    const missing = all.filter((name) => found[name] === undefined);
    if (missing.length > 0) throw new Error(`the mirror has no ${missing.join(', ')} for ${architecture}`);
    return Object.fromEntries(
      Object.entries(found).map(([name, locked]) => [locks.get(name) ?? name, locked]),
    );
  });
}

/** The name of the kernel that the package depends on; it contains the version. */
function newestKernel(archive: string): string {
  const control = [...membersOf(readFileSync(archive))].find(([name]) => name.startsWith('control.tar'))?.[1];
  const text = execFileSync('tar', ['-xJOf', '-', './control'], { input: control, encoding: 'utf8' });
  const [, name] = /^Depends: (?:.*, )?(linux-image-\S+)/m.exec(text) ?? [];
  if (name === undefined) throw new Error(`${archive} depends on no kernel`);
  return name;
}

const snapshot = new Date().toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '');
const path = join(import.meta.dirname, '..', lockFile);
const lock = process.argv.includes('--add')
  ? addMissing(readPackageLock(path))
  : { suite: debianSuite, snapshot, packages };
writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`);
const count = Object.keys(packages.amd64 ?? {}).length;
process.stdout.write(`locked ${count} packages for ${architectures.join(' and ')} in ${lockFile}\n`);

function addMissing(lock: PackageLock): PackageLock {
  const merged = architectures.map((architecture) => {
    const found = Object.entries(packages[architecture] ?? {});
    const all = found.map(([name, locked]) => [
      name,
      lock.packages[architecture][name] ?? { ...locked, snapshot },
    ]);
    return [architecture, Object.fromEntries(all)];
  });
  return { ...lock, packages: Object.fromEntries(merged) };
}
