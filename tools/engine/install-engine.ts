import { execFileSync } from 'node:child_process';
import { accessSync, chmodSync, constants, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackPackages } from '@nodewright/build/debian';

/** The packages to install, by the program that is missing. */
const packageOf = {
  dockerd: 'docker.io',
  docker: 'docker.io',
  iptables: 'iptables',
  // Builds the replacement for the base image when no registry can be reached.
  mmdebstrap: 'mmdebstrap',
  // For the test of the case in which a registry can be reached.
  'docker-registry': 'docker-registry',
} as const;

/**
 * Installs, on a Debian machine, what is missing of engine, client, compose plugin, registry and mmdebstrap.
 */
export function installEngine(): string {
  if (process.getuid?.() !== 0) throw new Error('only root can install packages');
  const packages = Object.entries(packageOf)
    .filter(([program]) => !isProgram(program))
    .map(([, name]) => name);
  if (packages.length > 0) {
    apt(['update', '-qq']);
    apt(['install', '-qq', '-y', '--no-install-recommends', ...new Set(packages)]);
  }
  const hasCompose = execOk('docker', ['compose', 'version']);
  if (!hasCompose) installCompose();
  const done = [...new Set<string>(packages), ...(hasCompose ? [] : ['compose plugin'])];
  return done.length === 0 ? 'nothing was missing' : `installed ${done.join(', ')}`;
}

/**
 * Debian 12 packages an engine but no compose plugin. The plugin of Debian 13 is one static file that also
 * runs here.
 */
function installCompose(): void {
  const folder = mkdtempSync(join(tmpdir(), 'compose-plugin-'));
  try {
    unpackPackages('trixie', ['docker-compose'], folder);
    const plugins = join(homedir(), '.docker', 'cli-plugins');
    const target = join(plugins, 'docker-compose');
    mkdirSync(plugins, { recursive: true });
    copyFileSync(join(folder, 'usr/libexec/docker/cli-plugins/docker-compose'), target);
    chmodSync(target, 0o755);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function apt(args: readonly string[]): void {
  execFileSync('apt-get', args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function isProgram(name: string): boolean {
  return [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'].some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function execOk(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
