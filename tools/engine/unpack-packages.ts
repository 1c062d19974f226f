import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Unpacks packages of another release of Debian into `folder`, without installing them and without root. The
 * machine's own apt sources stay unchanged. The programs must run with the libraries of this machine.
 *
 * @throws Error when there is no apt, or its sources name no mirror of Debian
 */
export function unpackPackages(suite: string, packages: readonly string[], folder: string): void {
  const work = mkdtempSync(join(tmpdir(), 'packages-'));
  try {
    for (const path of ['lists/partial', 'cache/archives/partial'])
      mkdirSync(join(work, path), { recursive: true });
    const list = join(work, 'sources.list');
    writeFileSync(list, `deb [signed-by=${keyring}] ${debianMirror()} ${suite} main\n`);
    const options = Object.entries({
      'Dir::Etc::sourcelist': list,
      'Dir::Etc::sourceparts': '-',
      'Dir::State::Lists': join(work, 'lists'),
      'Dir::Cache': join(work, 'cache'),
      'APT::Sandbox::User': 'root',
    }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    apt([...options, 'update', '-qq'], work);
    apt([...options, 'download', '-qq', ...packages], work);
    mkdirSync(folder, { recursive: true });
    for (const archive of globSync('*.deb', { cwd: work }))
      execFileSync('dpkg-deb', ['-x', join(work, archive), folder]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * The mirror from which this machine gets Debian's packages. The mirror of security updates is another host
 * and does not have the other release.
 */
function debianMirror(): string {
  const format = '$(SITE) $(REPO_URI)';
  const lines = execFileSync('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'], {
    encoding: 'utf8',
  }).split('\n');
  const uris = lines.map((line) => line.split(' ').at(-1)?.replace(/\/$/, '') ?? '');
  const mirror = uris.find((uri) => uri.endsWith('/debian'));
  if (mirror === undefined) throw new Error('apt knows no mirror of Debian');
  return mirror;
}

function apt(args: readonly string[], cwd: string): void {
  execFileSync('apt-get', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
