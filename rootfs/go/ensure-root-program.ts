import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lockedPackage, lockFile, readPackageLock } from '@nodewright/build/debian';
import { buildCaches, type Caches, ensureProgram, findProgram } from '@nodewright/build/go';
import { openCompiler } from '../debian/locked-compiler.ts';
import { compilerPackages, toolPackages } from '../recipe.ts';
import { unpackLocked, unpackTools, type Workshop } from '../workshop.ts';
import { type RootProgram, type RootProgramName, rootPrograms } from './go-programs.ts';

/**
 * The folder with a program of the root file system, or with several of one module. It is built unless a cache has it.
 *
 * @param caches this machine's by default
 * @throws Error with one line: no Go, a package that cannot be fetched, or the last line of a failed build
 */
export async function ensureRootProgram(
  name: RootProgramName,
  workshop: Workshop,
  note: (line: string) => void,
  caches: Caches = buildCaches(workshop.checkout, process.env),
): Promise<string> {
  const listed: RootProgram = rootPrograms[name];
  const program = { ...listed, inputs: listed.usesC ? compilerDigests(workshop) : [] };
  const wrapper = join(workshop.checkout, 'rootfs/go', listed.wrapper);
  const init = { program, wrapper, caches, environment: process.env, note };
  const folderOf = (path: string) => (typeof program.package === 'string' ? dirname(path) : path);
  const found = findProgram(init);
  if (found !== undefined) return folderOf(found);
  const variables = program.usesC ? await compilerVariables(workshop) : {};
  return folderOf(ensureProgram({ ...init, variables }).path);
}

/** Another version of a package may make another program. */
function compilerDigests({ checkout, architecture }: Workshop): readonly string[] {
  const lock = readPackageLock(join(checkout, lockFile));
  return [...toolPackages(architecture), ...compilerPackages(architecture)].map(
    (name) => lockedPackage(lock, architecture, name).sha256,
  );
}

async function compilerVariables(workshop: Workshop): Promise<Readonly<Record<string, string>>> {
  const tools = await unpackTools(workshop);
  for (const name of compilerPackages(workshop.architecture))
    await unpackLocked(name, tools.path('.'), workshop);
  const folder = join(workshop.work, 'compiler');
  const compiler = openCompiler(tools, folder);
  // The packages have the library at a place that needs no options, so this says enough about it.
  const packages = join(folder, 'pkg-config');
  writeFileSync(packages, '#!/bin/sh\ncase "$*" in *--libs*) echo -lseccomp ;; esac\n', { mode: 0o755 });
  return { CC: compiler, PKG_CONFIG: packages };
}
