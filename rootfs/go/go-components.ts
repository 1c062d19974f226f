import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Component } from '../image/bill-of-materials.ts';
import { type RootProgramName, rootPrograms } from './go-programs.ts';
import { type LinkedModule, linkedModules } from './linked-modules.ts';
import { goLibrary } from './module-licences.ts';

/**
 * The modules in programs, without the ones that they are built from.
 *
 * @param folder with the built programs
 * @param files their names
 */
export function modulesIn(folder: string, files: readonly string[]): LinkedModule[] {
  const all = files.flatMap((file) => linkedModules(readFileSync(join(folder, file))));
  return [...new Map(all.map((module) => [`${module.path} ${module.version}`, module])).values()];
}

/**
 * The components of programs from Go modules: the programs, the modules that are linked into them, and Go's own library.
 *
 * @param name of the part of the recipe
 * @param linked what `modulesIn()` says of the programs of the part
 */
export function goComponents(
  { name, why, program }: { name: string; why: string; program: RootProgramName },
  linked: readonly LinkedModule[],
): Component[] {
  const { module, version } = rootPrograms[program];
  return [
    {
      ...{ name, version, summary: why },
      ...{ supplier: supplierOf(module), purl: purlOf({ path: module, version }) },
    },
    ...[...linked, goLibrary].map((one) => ({
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
