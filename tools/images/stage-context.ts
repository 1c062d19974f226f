import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Architecture, fetchPackage, npmArchitecture } from '@nodewright/build';

/**
 * Prepares a build context for another architecture below the checkout: the files that the checkout would
 * have on such a machine. Native code comes from the same npm packages, in their variant for the other
 * architecture.
 */
export function stageContext(checkout: string, architecture: Architecture): string {
  const images = join(checkout, '_out', 'images');
  const folder = join(images, architecture);
  rmSync(folder, { recursive: true, force: true });
  for (const path of ['_out/dist', 'images', ...globSync('services/*/Dockerfile', { cwd: checkout })])
    cpSync(join(checkout, path), join(folder, path), { recursive: true });
  for (const path of globSync('_out/dist/*/linux_*', { cwd: folder }))
    rmSync(join(folder, path), { recursive: true });
  for (const [name, path, target] of machineCode(npmArchitecture(architecture))) {
    const from = join(fetchPackage(checkout, name, join(images, 'packages')), path);
    mkdirSync(dirname(join(folder, target)), { recursive: true });
    cpSync(from, join(folder, target));
  }
  return folder;
}

/** The package, the file in it, and the path of that file in a checkout. */
const machineCode = (npmName: string) =>
  [
    [`node-linux-${npmName}`, 'bin/node', `node_modules/node-linux-${npmName}/bin/node`],
    [
      `@koromix/koffi-linux-${npmName}`,
      `linux_${npmName}/koffi.node`,
      `_out/dist/machined/linux_${npmName}/koffi.node`,
    ],
  ] as const;
