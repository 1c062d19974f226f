import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeArchitecture } from '../architecture.ts';
import type { Caches } from './build-caches.ts';
import { buildProgram, type GoProgram } from './build-program.ts';
import { type ExactGo, exactGo } from './exact-toolchain.ts';
import { findGo } from './find-go.ts';

export interface EnsureProgramInit {
  readonly program: GoProgram;
  /** Folder with the files of the wrapper. */
  readonly wrapper: string;
  readonly caches: Caches;
  readonly environment: NodeJS.ProcessEnv;
  /** Variables with paths of this build, which do not decide what is built, such as `CC`. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly note: (line: string) => void;
}

/**
 * A program built from Go modules, unless a cache has it. A build takes minutes of processor time, at the lowest
 * priority. The cache key is the content of the wrapper, the flags, and the version of Go.
 *
 * @throws Error with one line: no suitable Go, or the last line of a failed build
 */
export function ensureProgram(init: EnsureProgramInit): { readonly path: string; readonly built: boolean } {
  const { program, wrapper, caches, note } = init;
  const found = findProgram(init);
  if (found !== undefined) return { path: found, built: false };
  const folder = join(caches.writable, keyOf(program, wrapper));
  const { variables = {} } = init;
  return { path: buildProgram({ program, wrapper, folder, ...openGo(init), variables, note }), built: true };
}

/**
 * The Go that builds a program, with the environment for it: fetched, or unpacked from Debian packages, if need be.
 *
 * @throws Error with one line: no suitable Go
 */
export function openGo({
  program: { leastGoMinor: leastMinor, toolchain },
  caches,
  environment,
  note,
}: Pick<EnsureProgramInit, 'program' | 'caches' | 'environment' | 'note'>): ExactGo {
  const go = findGo({ leastMinor, folder: join(caches.writable, 'go'), environment, note });
  return toolchain === undefined ? { go, environment } : exactGo(go, toolchain, environment);
}

/** Path of a finished build in a cache. */
export function findProgram({
  program,
  wrapper,
  caches,
}: Pick<EnsureProgramInit, 'program' | 'wrapper' | 'caches'>): string | undefined {
  const key = keyOf(program, wrapper);
  return caches.readable
    .map((cache) => findBuild(join(cache, key), program.name))
    .find((path) => path !== undefined);
}

/** The folder below a cache. */
function keyOf(program: GoProgram, wrapper: string): string {
  return join(program.name, digestOf(program, wrapper), nativeArchitecture());
}

/** Twelve hexadecimal digits that depend on the sources of the wrapper and on how it is built. */
function digestOf(program: GoProgram, wrapper: string): string {
  const variables = Object.entries(program.environment ?? {}).map(([name, value]) => `${name}=${value}`);
  const hash = createHash('sha256').update([...program.flags, program.package, ...variables].join(' '));
  const { toolchain, inputs = [], copiedMain, isTest } = program;
  const copied = copiedMain === undefined ? [] : [copiedMain.module, ...copiedMain.withoutImports];
  const release = toolchain === undefined ? [] : [toolchain.version];
  for (const input of [...release, ...inputs, ...copied, ...(isTest ? ['test'] : [])])
    hash.update(`\0\0${input}`);
  for (const name of program.files) hash.update(`\0${name}\0`).update(readFileSync(join(wrapper, name)));
  return hash.digest('hex').slice(0, 12);
}

/** Path of a finished build by any suitable version of Go, since all of them build the same program. */
function findBuild(folder: string, name: string): string | undefined {
  const [path] = globSync(`go*/${name}`, { cwd: folder });
  return path === undefined ? undefined : join(folder, path);
}
