import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from '@nodewright/build';
import {
  debianArchiveNames,
  debianArchives,
  type LockedPackage,
  parsePrintedUris,
  withApt,
} from '@nodewright/build/debian';
import { kernels } from '../kernels.ts';
import {
  compilerPackages,
  kubernetesPackages,
  licencePackages,
  mediumPackages,
  parts,
  toolPackages,
} from '../recipe.ts';
import { archiveMirror } from './archive-mirror.ts';
import { membersOf } from './unpack-deb.ts';

/**
 * The newest versions of all packages of the image and of the programs that make it, as the mirrors have them now.
 *
 * @throws Error that names the packages that no suite has
 */
export function newestPackages(architecture: Architecture): Readonly<Record<string, LockedPackage>> {
  const wanted = new Set<string>([
    ...parts.filter(({ source }) => source.kind === 'debian').map(({ name }) => name),
    ...toolPackages(architecture),
    ...compilerPackages(architecture),
    ...mediumPackages(architecture),
    ...kubernetesPackages,
    ...licencePackages,
  ]);
  const mirrors = debianArchiveNames.map((archive) => ({ archive, root: archiveMirror(archive) }));
  const sources = mirrors.flatMap(({ archive, root }) =>
    debianArchives[archive].suites.map((suite) => ({ mirror: root, suite })),
  );
  return withApt({ sources, architecture }, ({ run, work }) => {
    // The name under which each kernel is locked, by the name of its package, which contains the version.
    const locks = new Map(
      Object.values(kernels).map(({ package: { [architecture]: meta } }) => {
        run(['download', '-qq', meta]);
        const [archive = ''] = globSync(`${meta}_*.deb`, { cwd: work });
        return [newestKernel(join(work, archive)), meta];
      }),
    );
    const all = [...wanted, ...locks.keys()];
    const found = parsePrintedUris(run(['download', '--print-uris', ...all]), mirrors);
    const missing = all.filter((name) => found[name] === undefined);
    if (missing.length > 0) throw new Error(`no suite has ${missing.join(', ')} for ${architecture}`);
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
