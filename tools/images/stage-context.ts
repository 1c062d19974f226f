import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Architecture, npmArchitecture } from './architecture.ts';

/**
 * Lays out a build context for another architecture: what the checkout would be on such a machine. The Node.js comes
 * from its npm package and must have the sum that the lock file says.
 */
export function stageContext(checkout: string, folder: string, architecture: Architecture): string {
  const packageName = `node-linux-${npmArchitecture(architecture)}`;
  const binary = join('node_modules', packageName, 'bin', 'node');
  rmSync(join(folder, '_out'), { recursive: true, force: true });
  cpSync(join(checkout, '_out', 'dist'), join(folder, '_out', 'dist'), { recursive: true });
  for (const path of ['images', ...globSync('services/*/Dockerfile', { cwd: checkout })])
    cpSync(join(checkout, path), join(folder, path), { recursive: true });
  if (!existsSync(join(folder, binary))) fetchNode(checkout, folder, packageName);
  return folder;
}

function fetchNode(checkout: string, folder: string, packageName: string): void {
  const lock = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string }>;
  };
  const locked = lock.packages[`node_modules/${packageName}`];
  if (locked === undefined) throw new Error(`the lock file does not name ${packageName}`);
  const download = mkdtempSync(join(tmpdir(), 'node-package-'));
  try {
    execFileSync('npm', ['pack', '--silent', `${packageName}@${locked.version}`], {
      cwd: download,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [name = ''] = globSync('*.tgz', { cwd: download });
    const tarball = join(download, name);
    const [algorithm = '', expected] = locked.integrity.split(/-(.*)/s);
    const sum = createHash(algorithm).update(readFileSync(tarball)).digest('base64');
    if (sum !== expected) throw new Error(`${packageName}@${locked.version} is not what the lock file says`);
    const target = join(folder, 'node_modules', packageName);
    mkdirSync(target, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1', 'package/bin/node']);
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
}
