import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  buildCaches,
  type Caches,
  goRelease,
  openGo,
  type PreparedBuild,
  prepareBuild,
} from '@nodewright/build/go';
import type { LicenceTexts } from '../image/licence-texts.ts';
import type { Workshop } from '../workshop.ts';
import { type RootProgram, type RootProgramName, rootPrograms } from './go-programs.ts';
import type { LinkedModule } from './linked-modules.ts';

/** Where the text of a module, or of Go's own library (`stdlib`), is below the root. */
export const goLicencePath = ({ path, version }: LinkedModule) =>
  `usr/share/licenses/go/${path}/${version}.txt`;

/** Go's own library, which each program contains. */
export const goLibrary: LinkedModule = { path: 'stdlib', version: goRelease.version.replace('go', '') };

/**
 * The texts of the modules that are in a program, and of Go's own library. They are in the archives from which the program was
 * built, which Go compares with the go.sum of the wrapper; a cache keeps them like the program.
 *
 * @param modules without Go's own library
 * @param caches this machine's by default
 * @throws Error with one line: no Go, or a module that cannot be fetched
 */
export function goLicences(
  name: RootProgramName,
  modules: readonly LinkedModule[],
  workshop: Workshop,
  note: (line: string) => void,
  caches: Caches = buildCaches(workshop.checkout, process.env),
): LicenceTexts {
  const program: RootProgram = rootPrograms[name];
  const wrapper = join(workshop.checkout, 'rootfs/go', program.wrapper);
  const place = join('go-licences', digestOf(modules, wrapper), 'texts.json');
  const kept = caches.readable.map((cache) => join(cache, place)).find((path) => existsSync(path));
  if (kept !== undefined) return new Map(JSON.parse(readFileSync(kept, 'utf8')));
  const { go, environment } = openGo({ program, caches, environment: process.env, note });
  const folders = moduleFolders(modules, { program, go, wrapper, environment });
  const texts: LicenceTexts = new Map([
    ...folders.map(([module, folder]) => {
      const none = `The module ${module.path} ${module.version} has no text of its licence.\n`;
      return [goLicencePath(module), moduleLicence(folder) ?? none] as const;
    }),
    // Folders below that of Go have the licences of its tools.
    [goLicencePath(goLibrary), moduleLicence(join(dirname(go), '..'), '*') ?? ''],
  ]);
  const target = join(caches.writable, place);
  mkdirSync(dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}`;
  writeFileSync(draft, JSON.stringify([...texts]));
  renameSync(draft, target);
  return texts;
}

/** Depends on everything that decides the texts, and on the form in which they are kept. */
function digestOf(modules: readonly LinkedModule[], wrapper: string): string {
  const names = [...modules, goLibrary].map(({ path, version }) => `${path}@${version}`);
  const sums = readFileSync(join(wrapper, 'go.sum'));
  return createHash('sha256')
    .update(`1\0${names.join(' ')}\0`)
    .update(sums)
    .digest('hex')
    .slice(0, 12);
}

/** The folders with the sources of modules, fetched where they are missing. */
function moduleFolders(
  modules: readonly LinkedModule[],
  build: Parameters<typeof prepareBuild>[0],
): (readonly [LinkedModule, string])[] {
  if (modules.length === 0) return [];
  using prepared = prepareBuild(build);
  const names = modules.map(({ path, version }) => `${path}@${version}`);
  const printed = downloadModules(build.go, names, prepared);
  // One object after the other, each of which ends with a brace at the begin of a line.
  const answers = printed.split(/(?<=^\})$/m).filter((text) => text.trim() !== '');
  const folders = new Map(
    answers.map((text) => {
      const { Path, Version, Dir } = JSON.parse(text) as Readonly<Record<string, string>>;
      return [`${Path}@${Version}`, Dir];
    }),
  );
  return modules.map((module) => {
    const folder = folders.get(`${module.path}@${module.version}`);
    if (folder === undefined) throw new Error(`go mod download: no ${module.path} ${module.version}`);
    return [module, folder];
  });
}

/** What Go prints about modules that it has fetched, or had already. */
function downloadModules(
  go: string,
  names: readonly string[],
  { folder, environment }: PreparedBuild,
): string {
  try {
    return execFileSync(go, ['mod', 'download', '-json', ...names], {
      ...{ cwd: folder, env: environment, encoding: 'utf8', stdio: 'pipe', maxBuffer: 64 * 1024 * 1024 },
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string };
    // It names each module that failed as JSON.
    const [, reason] = /^\s*"Error": (".*"),?$/m.exec(stdout) ?? [];
    const said = reason === undefined ? stderr.trim().split('\n').at(-1) : JSON.parse(reason);
    throw new Error(`go mod download: ${String(said).split('\n')[0]}`, { cause: error });
  }
}

/** Names of files with a licence. */
const isText = /^(?:licen[cs]es?|unlicense|copying|copyright|notice|patents)(?:[.-].*)?$/i;
const isCode = /\.(?:go|s|tmpl|json|ya?ml)$/i;

/**
 * The texts in the folder of a module, one after the other: those of folders too, because a module may contain the code of others.
 *
 * @param pattern of the files to look at
 * @returns `undefined` without any
 */
export function moduleLicence(folder: string, pattern = '**'): string | undefined {
  const names = globSync(pattern, {
    cwd: folder,
    withFileTypes: true,
    exclude: (entry) =>
      entry.isDirectory() && /^(?:testdata|vendor|test|tests|examples?|docs?)$/.test(entry.name),
  })
    .filter((entry) => entry.isFile() && isText.test(entry.name) && !isCode.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    // Those of the module itself come first.
    .toSorted((a, b) => Number(a !== basename(a)) - Number(b !== basename(b)) || (a < b ? -1 : 1));
  if (names.length === 0) return undefined;
  return names
    .map((name) => `${name}:\n\n${readFileSync(join(folder, name), 'utf8').trimEnd()}\n`)
    .join('\n');
}
