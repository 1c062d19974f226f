import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';

/** In what a build differs from another one. */
export interface Surroundings {
  /** The folder in which everything of it is; it must not exist. */
  readonly folder: string;
  /** Another one than that of this process; only root can build as another user. */
  readonly user?: { readonly name: string; readonly uid: number; readonly gid: number };
  readonly umask: number;
  readonly timeZone: string;
  readonly locale: string;
}

/** What a build need not download again. */
export interface Downloads {
  /** The archives of Debian packages, by their digests. */
  readonly packages: string;
  /** The part of Go's cache of modules that has their archives. */
  readonly modules: string;
  /** npm's cache. */
  readonly npm: string;
  /** Folders of Go programs that are built already and not to be built again; none in a comparison of everything. */
  readonly programs: readonly string[];
  /** Variables that say where the rest comes from. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface FreshBuildInit {
  readonly checkout: string;
  /** The folder with the keys of images. */
  readonly keys: string;
  readonly downloads: Downloads;
  readonly surroundings: Surroundings;
}

/** Variables of the caller that name folders, or options of the `make` and `npm` that have started this program. */
const ofCaller =
  /^(?:GO|CGO_|npm_|XDG_|MAKE|MFLAGS|IMAGE_KEYS|SUITE_COUNTS|NODE_|TMPDIR|HOME|USER|LOGNAME|TZ|LC_|LANG)/;

/**
 * Builds the image of the last commit in a clone of the checkout, with caches of its own that have the downloads alone. Returns the
 * folder of the image.
 *
 * @throws Error when the build fails; it has printed why
 */
export async function freshBuild(init: FreshBuildInit): Promise<string> {
  const { checkout, keys, downloads, surroundings } = init;
  const { folder, user, umask } = surroundings;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const clone = join(folder, 'checkout');
  const masked = `umask ${umask.toString(8).padStart(4, '0')} && exec`;
  // Git gives its files the modes that the umask leaves.
  const clones = ['git', 'clone', '--quiet', '--depth', '1', `file://${checkout}`, clone];
  execFileSync('sh', ['-c', `${masked} "$@"`, 'sh', ...clones], { stdio: 'pipe' });
  const places = {
    ...{ home: join(folder, 'home'), tmp: join(folder, 'tmp'), keys: join(folder, 'keys') },
    ...{ cache: join(folder, 'cache'), modules: join(folder, 'modules'), npm: join(folder, 'npm') },
  };
  for (const place of Object.values(places)) mkdirSync(place, { mode: 0o700 });
  cpSync(keys, places.keys, { recursive: true });
  copyDownloads(downloads.packages, join(places.cache, 'packages'));
  for (const program of downloads.programs) copyDownloads(program, join(places.cache, basename(program)));
  copyDownloads(downloads.modules, join(places.modules, 'cache/download'));
  copyDownloads(downloads.npm, places.npm);
  if (user !== undefined) execFileSync('chown', ['--recursive', `${user.uid}:${user.gid}`, folder]);
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.startsWith(checkout));
  const kept = Object.entries(process.env).filter(([name]) => !ofCaller.test(name));
  const environment = {
    ...{ ...Object.fromEntries(kept), ...downloads.environment, PATH: path.join(delimiter) },
    ...{ HOME: places.home, TMPDIR: places.tmp, USER: user?.name ?? 'builder' },
    ...{ TZ: surroundings.timeZone, LC_ALL: surroundings.locale, IMAGE_KEYS: places.keys },
    ...{ BUILD_CACHE: places.cache, GOMODCACHE: places.modules, GOCACHE: join(folder, 'go-build') },
    ...{ GOPATH: join(folder, 'gopath'), npm_config_cache: places.npm, npm_config_prefer_offline: 'true' },
  };
  const child = spawn('sh', ['-c', `${masked} make image`], {
    ...{ cwd: clone, env: environment, stdio: 'inherit' },
    ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (code !== 0) throw new Error(`the build in ${folder} has failed: ${signal ?? `exit code ${code}`}`);
  return join(clone, '_out/image');
}

function copyDownloads(from: string, to: string): void {
  // The build downloads what is missing.
  if (existsSync(from)) cpSync(from, to, { recursive: true, mode: 0 });
}
