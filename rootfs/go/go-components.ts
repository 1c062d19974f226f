import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goRelease } from '../../tools/go/go-release.ts';
import type { Component } from '../image/bill-of-materials.ts';
import { type RootProgramName, rootPrograms } from './go-programs.ts';
import { linkedModules } from './linked-modules.ts';

/**
 * The components of programs from Go modules: the programs, the modules that are linked into them, and Go's own library.
 *
 * @param name of the part of the recipe
 * @param folder with the built programs
 * @param files names of the programs of the part
 */
export function goComponents(
  { name, why, program }: { name: string; why: string; program: RootProgramName },
  folder: string,
  files: readonly string[],
): Component[] {
  const { module, version } = rootPrograms[program];
  const library = { path: 'stdlib', version: goRelease.version.replace('go', '') };
  const linked = files.flatMap((file) => linkedModules(readFileSync(join(folder, file))));
  return [
    {
      ...{ name, version, summary: why },
      ...{ supplier: supplierOf(module), purl: purlOf({ path: module, version }) },
    },
    ...[...linked, library].map((one) => ({
      ...{ name: one.path, version: one.version, partOf: name },
      ...{ supplier: supplierOf(one.path), purl: purlOf(one) },
    })),
  ];
}

/** The owner of the repository of a module, which is its path without the last words. */
function supplierOf(path: string): string {
  if (path === 'stdlib') return 'Organization: Go';
  const [host = '', owner] = path.split('/');
  return `Organization: ${host === 'github.com' && owner !== undefined ? `${host}/${owner}` : host}`;
}

/** By this URL scanners for vulnerabilities find what is known about a module. */
const purlOf = ({ path, version }: { path: string; version: string }) => `pkg:golang/${path}@${version}`;
