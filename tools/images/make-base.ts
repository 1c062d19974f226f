import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runDocker } from '../../packages/provision/src/docker/run-docker.ts';
import type { Architecture } from './architecture.ts';

const release = 'trixie';
/** What the public bases hold, and libatomic, which the pinned Node.js needs. */
const packages = [
  'base-files',
  'libc6',
  'libstdc++6',
  'libgcc-s1',
  'libatomic1',
  'ca-certificates',
  'netbase',
  'tzdata',
];
/** Programs that come along with the packages, the builder's own settings, and what only a package manager reads. */
const unwanted = [
  'dev/*',
  'usr/bin/*',
  'usr/sbin/*',
  'etc/apt',
  'etc/dpkg',
  'etc/hostname',
  'etc/resolv.conf',
  'etc/debconf.conf',
  'etc/update-motd.d',
  'usr/lib/ssl/misc',
  'usr/share/bug',
  'usr/share/debconf',
  'usr/share/doc/*/examples',
  'usr/share/lintian',
  'usr/share/man',
  'usr/share/perl5',
  'var/cache/*',
  'var/lib/apt',
  'var/lib/dpkg',
  'var/log/*',
];

/**
 * Makes what stands in for a public base where it cannot be pulled: the same files out of the same release's packages,
 * no shell, under the public name. The same day gives the same bytes.
 */
export async function makeBase(tag: string, architecture: Architecture, epochSeconds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'base-'));
  const root = join(folder, 'root');
  const tarball = join(folder, 'base.tar');
  try {
    run('mmdebstrap', [
      ...['--quiet', '--variant=extract', '--mode=root', `--architectures=${architecture}`],
      ...[`--include=${packages.join(',')}`, '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr'],
      ...[release, root],
    ]);
    bundleCertificates(root);
    for (const path of globSync(unwanted, { cwd: root })) rmSync(join(root, path), { recursive: true });
    run('tar', [
      ...['--sort=name', `--mtime=@${epochSeconds}`, '--numeric-owner', '--format=gnu'],
      ...['-C', root, '-cf', tarball, '.'],
    ]);
    await runDocker([
      'import',
      '--platform',
      `linux/${architecture}`,
      '--change',
      'ENV PATH=/usr/bin',
      '--change',
      'ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
      tarball,
      tag,
    ]);
  } catch (error) {
    const said =
      error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n').at(-1) : '';
    const reason = said || (error instanceof Error ? error.message : String(error));
    throw new Error(`cannot make the base ${tag}: ${reason}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the package's own script would do: the one file in which programs look for authorities. */
function bundleCertificates(root: string): void {
  const authorities = join(root, 'usr/share/ca-certificates/mozilla');
  const folder = join(root, 'etc/ssl/certs');
  const texts = globSync('*.crt', { cwd: authorities })
    .sort()
    .map((name) => readFileSync(join(authorities, name), 'utf8'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ca-certificates.crt'), texts.join(''));
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
