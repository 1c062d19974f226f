import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { nativeArchitecture } from '../architecture.ts';
import { buildCaches } from '../go/build-caches.ts';
import type { GoProgram } from '../go/build-program.ts';
import { ensureProgram } from '../go/ensure-program.ts';
import { etcdPrograms, etcdVersion, releaseUrl } from './etcd-release.ts';
import { fetchRelease } from './fetch-release.ts';
import { etcdGoPrograms } from './go-programs.ts';

export interface EtcdPrograms {
  /** `3.7.3`. */
  readonly version: string;
  /** Whether this call fetched or built it. */
  readonly fetched: boolean;
  readonly etcd: string;
  readonly etcdutl: string;
  readonly etcdctl: string;
}

/** One way to get the programs: fills a folder that does not exist yet, or throws an Error with one line. */
export interface EtcdSource {
  readonly name: string;
  fill(folder: string): Promise<void> | void;
}

/** The sources, in the order in which they are tried. `note` reports the start of work that takes minutes. */
export function etcdSources(checkout: string, note: (line: string) => void): readonly EtcdSource[] {
  return [
    {
      name: 'release archive',
      fill: (folder) => fetchRelease({ url: releaseUrl, architecture: nativeArchitecture() }, folder),
    },
    { name: 'Go modules', fill: (folder) => buildPrograms(checkout, folder, note) },
  ];
}

function buildPrograms(checkout: string, folder: string, note: (line: string) => void): void {
  const built = buildEtcd(checkout, note);
  mkdirSync(folder, { recursive: true });
  for (const [name, path] of Object.entries(built)) copyFileSync(path, join(folder, name));
}

/**
 * Builds the programs of etcd from Go modules, unless a cache has them, with the same bytes on every machine. Returns the path
 * of each by its name.
 *
 * @throws Error with one line: no Go, or the last line of a failed build
 */
export function buildEtcd(
  checkout: string,
  note: (line: string) => void,
): Readonly<Record<(typeof etcdPrograms)[number], string>> {
  const environment = process.env;
  const wrapper = join(import.meta.dirname, 'wrapper');
  const caches = buildCaches(checkout, environment);
  const pathOf = (program: GoProgram) => ensureProgram({ program, wrapper, caches, environment, note }).path;
  return {
    etcd: pathOf(etcdGoPrograms.etcd),
    etcdutl: pathOf(etcdGoPrograms.etcdutl),
    etcdctl: pathOf(etcdGoPrograms.etcdctl),
  };
}

export interface EnsureEtcdOptions {
  readonly sources?: readonly EtcdSource[];
  /** The version that every source must have. */
  readonly version?: string;
}

/** The folder of a checkout with its programs: a link to the folder of their version. */
export function etcdFolder(checkout: string): string {
  return join(checkout, '_out', 'tools', 'etcd');
}

/**
 * The real etcd of a checkout with its tools: already present, or fetched or built without root into
 * `_out/tools/etcd-<version>`. Another version that an earlier call left is replaced; a folder that a person
 * has put there is not. Concurrent calls are safe.
 *
 * @throws Error with one line that says why each source failed
 */
export async function ensureEtcd(
  checkout: string,
  { sources = etcdSources(checkout, noteToUser), version = etcdVersion }: EnsureEtcdOptions = {},
): Promise<EtcdPrograms> {
  const folder = etcdFolder(checkout);
  if (isCurrent(folder, version)) return programsOf(folder, false);
  const parent = join(folder, '..');
  mkdirSync(parent, { recursive: true });
  const failures: string[] = [];
  for (const { name, fill } of sources) {
    const draft = join(parent, `etcd.${process.pid}.${Math.random().toString(36).slice(2)}`);
    try {
      await fill(draft);
      publish(draft, folder, version);
      return programsOf(folder, true);
    } catch (error) {
      const line = (error instanceof Error ? error.message : String(error)).split('\n')[0];
      failures.push(`${name}: ${line}`);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  throw new Error(
    `etcd ${version} is not to be had (${failures.join('; ')}): make one of these work here, or put ${etcdPrograms.join(', ')} into the folder ${folder}`,
  );
}

function noteToUser(line: string): void {
  process.stderr.write(`etcd: ${line}\n`);
}

/** Whether the programs are there: of this version behind the link of an earlier call, of any in a person's folder. */
function isCurrent(folder: string, version: string): boolean {
  if (!existsSync(join(folder, 'etcd'))) return false;
  return !lstatSync(folder).isSymbolicLink() || readlinkSync(folder) === `etcd-${version}`;
}

/**
 * Moves the folder to the name of its version, then points the link to it. Each step is one rename; a
 * concurrent call that comes second finds the result.
 *
 * @throws Error when the programs are of another version
 */
function publish(draft: string, folder: string, version: string): void {
  const found = versionOf(join(draft, 'etcd'));
  if (found !== version) throw new Error(`it has etcd ${found}`);
  const [parent, name] = [join(folder, '..'), `etcd-${version}`];
  if (!existsSync(join(parent, name, 'etcd'))) {
    rmSync(join(parent, name), { recursive: true, force: true });
    try {
      renameSync(draft, join(parent, name));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    }
  }
  // A person may have made a folder without the programs here; a rename cannot replace it by a link.
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) rmSync(folder, { recursive: true });
  const link = `${draft}.link`;
  symlinkSync(name, link);
  renameSync(link, folder);
}

function programsOf(folder: string, fetched: boolean): EtcdPrograms {
  const etcd = join(folder, 'etcd');
  return {
    version: versionOf(etcd),
    fetched,
    etcd,
    etcdutl: join(folder, 'etcdutl'),
    etcdctl: join(folder, 'etcdctl'),
  };
}

/**
 * @throws Error when the program does not run here: a library is missing, or it is for another architecture
 */
function versionOf(etcd: string): string {
  let said: string;
  try {
    said = execFileSync(etcd, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(`${etcd} does not run: ${stderr.split('\n')[0] || message.split('\n')[0]}`, {
      cause: error,
    });
  }
  const version = /^etcd Version: (\S+)/m.exec(said)?.[1];
  if (version === undefined) throw new Error(`${etcd} does not tell its version`);
  return version;
}
