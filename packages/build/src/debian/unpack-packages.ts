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
  withApt({ sources: [{ mirror: debianMirror(), suite }] }, ({ run, work }) => {
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

interface AptSource {
  /** Root of a mirror. */
  readonly mirror: string;
  readonly suite: string;
}

/**
 * Lends `use` an apt with the package lists of some suites of Debian, in a temporary folder. The machine's own apt stays unchanged, and
 * what it has installed or pinned has no influence.
 *
 * @param architecture default: that of the machine
 * @throws Error when there is no apt
 */
export function withApt<T>(
  { sources, architecture }: { readonly sources: readonly AptSource[]; readonly architecture?: string },
  use: (apt: Apt) => T,
): T {
  const work = mkdtempSync(join(tmpdir(), 'packages-'));
  try {
    for (const path of ['lists/partial', 'cache/archives/partial'])
      mkdirSync(join(work, path), { recursive: true });
    const list = join(work, 'sources.list');
    const lines = sources.map(({ mirror, suite }) => `deb [signed-by=${keyring}] ${mirror} ${suite} main\n`);
    writeFileSync(list, lines.join(''));
    const options = Object.entries({
      'Dir::Etc::sourcelist': list,
      'Dir::Etc::sourceparts': '-',
      'Dir::Etc::preferences': '/dev/null',
      'Dir::Etc::preferencesparts': join(work, 'lists/partial'),
      'Dir::State::status': '/dev/null',
      'Dir::State::Lists': join(work, 'lists'),
      'Dir::Cache': join(work, 'cache'),
      'APT::Sandbox::User': 'root',
      // A mirror that does not answer is an error, not a wait without an end.
      'Acquire::http::Timeout': '30',
      'Acquire::https::Timeout': '30',
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
 * The mirror from which this machine gets Debian's packages, or those of another archive of Debian, such as `debian-security`.
 *
 * @throws Error when there is no apt, or its sources name no such mirror
 */
export function debianMirror(archive = 'debian'): string {
  const format = '$(SITE) $(REPO_URI)';
  const lines = execFileSync('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'], {
    encoding: 'utf8',
  }).split('\n');
  const uris = lines.map((line) => line.split(' ').at(-1)?.replace(/\/$/, '') ?? '');
  const mirror = uris.find((uri) => uri.endsWith(`/${archive}`));
  if (mirror === undefined) throw new Error(`apt knows no mirror of ${archive}`);
  return mirror;
}
