import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Fetches a package for another platform, with the version and the sum of the lock file, into the folder
 * `cache`. Returns the folder with its unpacked files.
 */
export function fetchPackage(checkout: string, name: string, cache: string): string {
  const lock = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string }>;
  };
  const locked = lock.packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`the lock file does not name ${name}`);
  const folder = join(cache, `${name}-${locked.version}`);
  if (existsSync(folder)) return join(folder, 'package');
  const download = mkdtempSync(join(tmpdir(), 'package-'));
  const draft = `${folder}.${process.pid}`;
  try {
    execFileSync('npm', ['pack', '--silent', `${name}@${locked.version}`], {
      cwd: download,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const tarball = join(download, globSync('*.tgz', { cwd: download })[0] ?? '');
    const [algorithm = '', expected] = locked.integrity.split(/-(.*)/s);
    const sum = createHash(algorithm).update(readFileSync(tarball)).digest('base64');
    if (sum !== expected) throw new Error(`${name}@${locked.version} is not what the lock file says`);
    mkdirSync(dirname(draft), { recursive: true });
    mkdirSync(draft);
    execFileSync('tar', ['-xzf', tarball, '-C', draft]);
    renameSync(draft, folder);
    return join(folder, 'package');
  } finally {
    rmSync(download, { recursive: true, force: true });
    rmSync(draft, { recursive: true, force: true });
  }
}
