import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Debian 12 has an engine and no compose plugin; that of the next release is one static file. */
const composeRelease = 'trixie';
const composePackage = 'docker-compose';

/** Installs what is missing of engine, client, compose plugin and the maker of bases on a Debian machine, as root. */
export function installEngine(): string {
  if (process.getuid?.() !== 0) throw new Error('only root can install packages');
  const packages = Object.entries({
    dockerd: 'docker.io',
    docker: 'docker.io',
    iptables: 'iptables',
    mmdebstrap: 'mmdebstrap',
  })
    .filter(([program]) => !isProgram(program))
    .map(([, name]) => name);
  if (packages.length > 0) {
    apt(['update', '-qq']);
    apt(['install', '-qq', '-y', '--no-install-recommends', ...new Set(packages)]);
  }
  const hasCompose = execOk('docker', ['compose', 'version']);
  if (!hasCompose) installCompose();
  const done = [...new Set(packages), ...(hasCompose ? [] : ['compose plugin'])];
  return done.length === 0 ? 'nothing was missing' : `installed ${done.join(', ')}`;
}

/** The machine's own package sources stay as they are: the lists of the other release live in a folder of their own. */
function installCompose(): void {
  const folder = mkdtempSync(join(tmpdir(), 'compose-plugin-'));
  try {
    for (const path of ['lists/partial', 'cache/archives/partial', 'root'])
      mkdirSync(join(folder, path), { recursive: true });
    const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
    writeFileSync(
      join(folder, 'sources.list'),
      `deb [signed-by=${keyring}] ${debianMirror()} ${composeRelease} main\n`,
    );
    const options = Object.entries({
      'Dir::Etc::sourcelist': join(folder, 'sources.list'),
      'Dir::Etc::sourceparts': '-',
      'Dir::State::Lists': join(folder, 'lists'),
      'Dir::Cache': join(folder, 'cache'),
      'APT::Sandbox::User': 'root',
    }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    apt([...options, 'update', '-qq']);
    apt([...options, 'download', '-qq', composePackage], folder);
    const [archive] = globSync(`${composePackage}_*.deb`, { cwd: folder });
    if (archive === undefined) throw new Error(`apt-get downloaded no ${composePackage}`);
    execFileSync('dpkg-deb', ['-x', join(folder, archive), join(folder, 'root')]);
    const plugins = join(homedir(), '.docker', 'cli-plugins');
    const target = join(plugins, 'docker-compose');
    mkdirSync(plugins, { recursive: true });
    copyFileSync(join(folder, 'root/usr/libexec/docker/cli-plugins/docker-compose'), target);
    chmodSync(target, 0o755);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where this machine gets Debian's packages from. Security updates live elsewhere and have no other release. */
function debianMirror(): string {
  const format = '$(SITE) $(REPO_URI)';
  const lines = execFileSync('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'], {
    encoding: 'utf8',
  }).split('\n');
  const uris = lines.map((line) => line.split(' ').at(-1)?.replace(/\/$/, '') ?? '');
  const mirror = uris.find((uri) => uri.endsWith('/debian'));
  if (mirror === undefined) throw new Error('apt knows no mirror of Debian to get the compose plugin from');
  return mirror;
}

function apt(args: readonly string[], cwd = '/'): void {
  execFileSync('apt-get', args, {
    cwd,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

const isProgram = (name: string) => execOk(name, ['--version']);

function execOk(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
