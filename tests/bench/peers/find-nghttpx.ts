import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A program to compare with, and how to start it. */
export interface Nghttpx {
  readonly path: string;
  readonly version: string;
  /** Added to the environment: where its libraries are, when they are not the system's. */
  readonly environment: Readonly<Record<string, string>>;
}

const packageName = 'nghttp2-proxy';
/** Do not let an unreachable mirror delay the run. */
const downloadTimeoutMs = 60_000;

/**
 * nghttpx of the machine or, without one, Debian's package, unpacked without root below `peersFolder` and
 * kept for the next run. A text instead of a program is the reason why there is none.
 */
export function findNghttpx(peersFolder: string): Nghttpx | string {
  const installed = which('nghttpx');
  if (installed !== undefined) return describe(installed, {});
  const unpacked = join(peersFolder, packageName);
  try {
    if (!existsSync(unpacked)) unpack(peersFolder, unpacked);
    const [path] = globSync(join(unpacked, 'usr/*bin/nghttpx'));
    if (path === undefined) return `no nghttpx in ${unpacked}`;
    const libraries = [...new Set(globSync(join(unpacked, 'usr/lib/**/*.so*')).map(dirname))].join(':');
    return describe(path, libraries === '' ? {} : { LD_LIBRARY_PATH: libraries });
  } catch (error) {
    return `no nghttpx on PATH, and Debian's ${packageName} cannot be unpacked (${firstLine(error)})`;
  }
}

function describe(path: string, environment: Nghttpx['environment']): Nghttpx | string {
  try {
    const text = execFileSync(path, ['--version'], {
      encoding: 'utf8',
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { path, version: text.trim().replace(/^nghttpx nghttp2\//, ''), environment };
  } catch (error) {
    return `${path} does not run (${firstLine(error)})`;
  }
}

/** Unpacks the package and those of its libraries that the machine lacks. */
function unpack(peersFolder: string, target: string): void {
  if (which('apt-get') === undefined || which('dpkg') === undefined) throw new Error('this is not Debian');
  mkdirSync(peersFolder, { recursive: true });
  const draft = mkdtempSync(join(peersFolder, '.unpacking-'));
  try {
    const depends = run('apt-cache', ['depends', packageName]).matchAll(/^\s*Depends: (lib[^\s<>]+)$/gm);
    const libraries = [...depends].map(([, name = '']) => name).filter((name) => !isInstalled(name));
    run('apt-get', ['download', packageName, ...libraries], draft);
    for (const archive of globSync(join(draft, '*.deb'))) {
      run('dpkg', ['-x', archive, join(draft, 'root')]);
    }
    renameSync(join(draft, 'root'), target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function isInstalled(library: string): boolean {
  try {
    return run('dpkg-query', ['-W', '-f', `\${Status}`, library]).endsWith(' installed');
  } catch {
    return false;
  }
}

function which(name: string): string | undefined {
  // Daemons are in sbin, which is not on every user's PATH.
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function run(program: string, args: readonly string[], cwd?: string): string {
  return execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: downloadTimeoutMs,
  });
}

function firstLine(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  return (stderr || message).trim().split('\n')[0] ?? '';
}
