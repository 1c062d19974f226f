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
  withApt({ suite }, ({ run, work }) => {
    run(['download', '-qq', ...packages]);
    mkdirSync(folder, { recursive: true });
    for (const archive of globSync('*.deb', { cwd: work }))
      execFileSync('dpkg-deb', ['-x', join(work, archive), folder]);
  });
}

interface Apt {
  /** Runs `apt-get` in the folder `work` and returns its output. */
  readonly run: (args: readonly string[]) => string;
  readonly work: string;
}

/**
 * Lends `use` an apt with the package lists of one release of Debian, in a temporary folder. The machine's own
 * apt stays unchanged.
 *
 * @param architecture default: that of the machine
 * @throws Error when there is no apt, or its sources name no mirror of Debian
 */
export function withApt<T>(
  { suite, architecture }: { readonly suite: string; readonly architecture?: string },
  use: (apt: Apt) => T,
): T {
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
      ...(architecture === undefined
        ? {}
        : { 'APT::Architecture': architecture, 'APT::Architectures::': architecture }),
    }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const run = (args: readonly string[]) =>
      execFileSync('apt-get', [...options, ...args], {
        cwd: work,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    run(['update', '-qq']);
    return use({ run, work });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * The mirror from which this machine gets Debian's packages. The mirror of security updates is another host
 * and does not have the other release.
 */
export function debianMirror(): string {
  const format = '$(SITE) $(REPO_URI)';
  const lines = execFileSync('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'], {
    encoding: 'utf8',
  }).split('\n');
  const uris = lines.map((line) => line.split(' ').at(-1)?.replace(/\/$/, '') ?? '');
  const mirror = uris.find((uri) => uri.endsWith('/debian'));
  if (mirror === undefined) throw new Error('apt knows no mirror of Debian');
  return mirror;
}
