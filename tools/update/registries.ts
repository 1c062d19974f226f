// Asks the registries of Go and npm about versions, through their own clients. What cannot be asked is said in a line, and left out.
import { execFile, execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  buildCaches,
  type ExactGo,
  exactGo,
  findGo,
  type GoWrapper,
  goRelease,
  readGoWrapper,
} from '@nodewright/build/go';
import type { KnownVersion } from './freshness-rows.ts';
import { type NpmManifest, newestOfOutdated, pinnedPackages } from './npm-manifests.ts';
import { laterReleases } from './versions.ts';

const timeoutMs = 60_000;
const run = promisify(execFile);
type Note = (line: string) => void;

/** The manifests of the checkout, by path. */
export function npmManifests(checkout: string): ReadonlyMap<string, NpmManifest> {
  const paths = globSync(['package.json', '{packages,services,cli}/*/package.json'], { cwd: checkout });
  return new Map(
    paths
      .toSorted()
      .map((path) => [path, JSON.parse(readFileSync(join(checkout, path), 'utf8')) as NpmManifest]),
  );
}

/** Every go.mod that is committed, by the path of its folder. */
export function goWrappers(checkout: string): ReadonlyMap<string, GoWrapper> {
  const paths = execFileSync('git', ['ls-files', '*go.mod'], { cwd: checkout, encoding: 'utf8' }).trim();
  return new Map(
    paths
      .split('\n')
      .map((path) => [
        path.replace(/\/go\.mod$/, ''),
        readGoWrapper(readFileSync(join(checkout, path), 'utf8')),
      ]),
  );
}

/** The Go with which wrappers are renewed: the one that builds, so that none of them asks for a later one. */
export function goForWrappers(checkout: string, note: Note): ExactGo {
  const folder = join(buildCaches(checkout, process.env).writable, 'go');
  const found = findGo({ leastMinor: 21, folder, note });
  const { go, environment } = exactGo(found, goRelease, process.env);
  return { go, environment: { ...environment, GOFLAGS: '-mod=mod', GOWORK: 'off', GOTOOLCHAIN: 'local' } };
}

/** What is known about the modules that wrappers ask for, and about Go itself. */
export async function knownGoVersions(checkout: string, note: Note): Promise<KnownVersion[]> {
  const { go, environment } = goForWrappers(checkout, note);
  const list = async (...words: string[]): Promise<{ Versions?: string[]; Time?: string }> => {
    const options = { cwd: tmpdir(), env: environment, timeout: timeoutMs };
    return JSON.parse((await run(go, ['list', '-m', '-json', ...words], options)).stdout);
  };
  const locked = [...goWrappers(checkout).values()].flatMap(({ modules }) => modules);
  const distinct = new Map(
    locked.map(({ module, version }) => [`${module} ${version}`, { module, version }]),
  );
  const all = [...distinct.values(), { module: 'go', version: goRelease.version }];
  const known = await Promise.all(
    all.map(async ({ module, version }): Promise<KnownVersion[]> => {
      try {
        const { Versions: versions = [] } = await list('-versions', module);
        const later = laterReleases(versions, version);
        const [next] = later;
        const one = { kind: 'go', name: module, version } as const;
        if (next === undefined) return [{ ...one, newest: version }];
        const { Time: time } = await list(`${module}@${next}`);
        const newest = later.at(-1) ?? next;
        return [{ ...one, newest, ...(time !== undefined && { newerSince: new Date(time) }) }];
      } catch (error) {
        note(`Go's registry does not answer for ${module}: ${reasonOf(error)}`);
        return [];
      }
    }),
  );
  return known.flat();
}

/** What is known about the packages that the manifests pin. */
export async function knownNpmVersions(checkout: string, note: Note): Promise<KnownVersion[]> {
  const pinned = pinnedPackages([...npmManifests(checkout).values()]);
  const newest = await newestNpmPackages(checkout);
  return Promise.all(
    [...pinned].map(async ([name, version]): Promise<KnownVersion> => {
      const one = { kind: 'npm', name, version } as const;
      const latest = newest.get(name);
      if (latest === undefined || laterReleases([latest], version).length === 0)
        return { ...one, newest: version };
      try {
        const { stdout } = await run('npm', ['view', name, 'time', '--json'], {
          cwd: checkout,
          timeout: timeoutMs,
        });
        const times = JSON.parse(stdout) as Readonly<Record<string, string>>;
        const [next = latest] = laterReleases(Object.keys(times), version);
        return { ...one, newest: latest, newerSince: new Date(times[next] ?? Number.NaN) };
      } catch (error) {
        note(`npm's registry does not say when ${name} was published: ${reasonOf(error)}`);
        return { ...one, newest: latest };
      }
    }),
  );
}

/** The newest versions of the packages that have newer ones than the pinned, by name. */
export async function newestNpmPackages(checkout: string): Promise<ReadonlyMap<string, string>> {
  const options = { cwd: checkout, timeout: timeoutMs * 4 };
  // It ends with 1 when something is outdated.
  const { stdout } = await run('npm', ['outdated', '--json'], options).catch((error) => {
    if (error.code === 1 && error.stdout.startsWith('{')) return error as { stdout: string };
    throw error;
  });
  return newestOfOutdated(stdout);
}

export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1) ?? '';
