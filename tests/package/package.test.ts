// What `make package` writes: what the archive holds, and that it starts a cluster where nothing else is.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readTar, type TarEntry } from '@nodewright/build/archives';
import { skipWithoutEtcd } from '@nodewright/etcd/testing';
import { noOwnNamespace } from '@nodewright/linux/testing';
import { buildPackage } from '../../tools/package/build-package.ts';

const checkout = join(import.meta.dirname, '..', '..');
const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
const nobody = { uid: 65_534, gid: 65_534 } as const;
const folder = mkdtempSync(join(tmpdir(), 'package-test-'));
let archive: string;
let entries: readonly TarEntry[];

/** Less is compressed than by `make package`, which takes half a minute. */
const pack = async (name: string) => {
  const init = { checkout, commit: 'abcdef123', isChanged: false, level: 1 };
  return (await buildPackage({ ...init, folder: join(folder, name) })).path;
};

const skip = skipWithoutEtcd();

before(async () => {
  if (skip) return;
  chmodSync(folder, 0o755);
  archive = await pack('one');
  entries = [...readTar(gunzipSync(readFileSync(archive)))];
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('the archive holds everything that a cluster runs, and nothing to install', { skip }, () => {
  assert.equal(basename(archive), `nodewright-0.1.0-abcdef123-linux-${arch}.tgz`);
  const names = entries.map(({ name }) => name.replace(/^package\//, ''));
  assert.deepEqual(names, names.toSorted());
  const expected = ['bin/nodewright', 'LICENSE', 'README.md', 'manifest.json', 'package.json']
    .concat(['node', 'libatomic.so.1', 'LICENSE'].map((name) => `runtime/linux-${arch}/${name}`))
    .concat(['etcd', 'etcdutl'].map((name) => `tools/etcd/${name}`))
    .concat(
      ['apid', 'machined', 'process-supervisor', 'registryd', 'trustd'].map(
        (name) => `dist/${name}/${name}.cjs`,
      ),
    )
    .concat(
      ['udevd-bridge/udevd-bridge', 'nodewright/nodewright', 'talosctl/talosctl'].map(
        (path) => `dist/${path}.cjs`,
      ),
    )
    .concat([
      'dist/trusted-certificates.pem',
      'dist/talosctl/ui/index.html',
      `dist/machined/linux_${arch}/koffi.node`,
    ]);
  assert.deepEqual(
    expected.filter((name) => !names.includes(name)),
    [],
  );
  const programs = entries.filter(({ header }) => /^0000755/.test(header.toString('latin1', 100, 107)));
  assert.deepEqual(
    programs.map(({ name }) => basename(name)),
    ['nodewright', 'node', 'etcd', 'etcdutl'],
  );
  const textOf = (name: string) =>
    entries.find((entry) => entry.name === `package/${name}`)?.data.toString('utf8') ?? '';
  const { dependencies, optionalDependencies, peerDependencies, scripts, bin, os, cpu } = JSON.parse(
    textOf('package.json'),
  );
  assert.deepEqual(
    [dependencies, optionalDependencies, peerDependencies, scripts],
    [undefined, undefined, undefined, undefined],
  );
  assert.deepEqual({ bin, os, cpu }, { bin: { nodewright: 'bin/nodewright' }, os: ['linux'], cpu: [arch] });
  const { files } = JSON.parse(textOf('manifest.json')) as { files: { path: string; sha256: string }[] };
  assert.deepEqual(
    files.map(({ path, sha256 }) => `${path} ${sha256}`),
    entries
      .map(({ name, data }) => `${name.slice(8)} ${createHash('sha256').update(data).digest('hex')}`)
      .filter((line) => !line.startsWith('manifest.json ')),
  );
});

test('the archive names no folder of the machine that made it, and no user or time', { skip }, () => {
  const forbidden = [checkout, folder, join(homedir(), '.npm')].map((path) => Buffer.from(path));
  const found = entries.filter(({ data }) => forbidden.some((path) => data.includes(path)));
  assert.deepEqual(
    found.map(({ name }) => name),
    [],
  );
  const factsOf = ({ header }: TarEntry) =>
    header.toString('latin1', 108, 124) + header.toString('latin1', 136, 148);
  const zero = '0000000\0';
  assert.deepEqual([...new Set(entries.map(factsOf))], [`${zero}${zero}03560116604\0`]);
});

test('the same files give the same bytes', { skip }, async () => {
  const digestOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  assert.equal(digestOf(await pack('two')), digestOf(archive));
});

/** PATH without the Node.js of this checkout. */
const pathOfSystem = (process.env.PATH ?? '').split(':').filter((path) => !path.includes('/node_modules/'));
const hiddenLibrary = /\s(\/\S*\/libatomic\.so\.1\S*)$/m.exec(readFileSync('/proc/self/maps', 'utf8'))?.[1];

/**
 * Runs a script as an ordinary user, in a network of `lo` alone, with an engine that only answers.
 *
 * @param hidden a file that is empty for the script
 */
async function runAlone(home: string, script: string, hidden = '/dev/null') {
  const bin = join(home, 'fake');
  mkdirSync(bin);
  const docker = '#!/bin/sh\n[ "$1" = compose ] && echo 2.30.0 || echo "27.0.1 1.46"\n';
  writeFileSync(join(bin, 'docker'), docker, { mode: 0o755 });
  chownSync(home, nobody.uid, nobody.gid);
  const prepare = `ip link set lo up && mount --bind /dev/null "$1" && shift && exec setpriv "$@"`;
  const user = ['--reuid=65534', '--regid=65534', '--clear-groups'];
  const env = { PATH: [bin, ...pathOfSystem].join(':'), HOME: home, npm_config_update_notifier: 'false' };
  const words = ['-n', '-m', 'sh', '-c', prepare, 'sh', realpathSync(hidden), ...user, 'sh', '-euc', script];
  const child = spawn('unshare', words, { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await closed) as [number | null];
  return { stdout, stderr, code };
}

test('the archive starts a cluster for an ordinary user without a network, and removes it', {
  skip: skip || noOwnNamespace,
}, async () => {
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o755 });
  const shape = '--controlplanes 1 --workers 0';
  const { stdout, stderr, code } = await runAlone(
    home,
    `
    # A test that fails leaves no cluster either.
    trap 'for program in package elsewhere; do [ ! -d $program ] || $program/bin/nodewright down || true; done' EXIT
    tar xzf ${archive}
    package/bin/nodewright up ${shape}
    mv package elsewhere
    echo "== $(ls .local/share/nodewright)"
    nodewright=$(echo $HOME/.local/share/nodewright/0.1.0-abcdef123/bin/nodewright)
    # On a busy machine etcd may take longer than a call.
    for turn in 1 2 3 4 5 6 7 8 9; do
      if $nodewright talosctl -n node01 etcd members; then break; fi
      sleep 2
    done
    echo "== runs $(readlink /proc/[0-9]*/exe | grep "^$HOME" | sort -u)"
    elsewhere/bin/nodewright up ${shape}
    $nodewright down
    rm -r elsewhere
    echo "== left $(find . -path ./fake -prune -o -type f -print -o -type l -print)"
    echo "== data $(ls -A .local/share)"
    `,
    hiddenLibrary,
  );
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^copied the programs to \S+\/home\/\.local\/share\/nodewright\/0\.1\.0-abcdef123$/m);
  assert.match(stderr, /^nodes are processes of this machine, although Docker 27\.0\.1 answers$/m);
  assert.match(
    stderr,
    /^Next:\n {2}alias nodewright=~\/\.local\/share\/nodewright\/0\.1\.0-abcdef123\/bin\/nodewright$/m,
  );
  assert.equal(stderr.match(/^copied the programs/gm)?.length, 1);
  assert.match(stdout, /== 0\.1\.0-abcdef123\ntalos\n/);
  assert.match(stdout, /^node01 .*node01 /m);
  const copy = join(home, '.local/share/nodewright/0.1.0-abcdef123');
  const running = `${copy}/runtime/linux-${arch}/node\n${copy}/tools/etcd/etcd\n`;
  assert.ok(stdout.includes(`== runs ${running}`), stdout);
  assert.match(stdout, /^== left $/m);
  assert.match(stdout, /^== data $/m);
  assert.deepEqual(processesBelow(home), []);
});

const hasNpx =
  spawnSync('npx', ['--version'], { stdio: 'ignore', env: { PATH: pathOfSystem.join(':') } }).status === 0;

test('npx starts the same from the archive', {
  skip: skip || noOwnNamespace || (hasNpx ? false : 'npx is not installed'),
}, async () => {
  const home = join(folder, 'npx');
  mkdirSync(home, { mode: 0o755 });
  // The cache of npx is removed while the cluster runs.
  const { stdout, stderr, code } = await runAlone(
    home,
    `
    trap '! [ -d .local/share/nodewright ] || .local/share/nodewright/0*/bin/nodewright down --name npx' EXIT
    (cd ${join(folder, 'one')} && npx --yes ./${basename(archive)} up --controlplanes 1 --workers 0 --name npx)
    rm -r .npm
    nodewright=$(echo $HOME/.local/share/nodewright/0*/bin/nodewright)
    $nodewright talosctl cluster show --name npx
    $nodewright down --name npx
    echo "== data $(ls -A .local/share)"
    `,
  );
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^ {2}nodewright down --name npx /m);
  assert.match(stdout, /^node01 /m);
  assert.match(stdout, /^== data $/m);
  assert.deepEqual(processesBelow(home), []);
});

/** Processes with the folder in their command line or their environment. */
function processesBelow(path: string): string[] {
  const read = (file: string) => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return '';
    }
  };
  return readdirSync('/proc').filter(
    (pid) =>
      /^\d+$/.test(pid) &&
      Number(pid) !== process.pid &&
      `${read(`/proc/${pid}/cmdline`)}${read(`/proc/${pid}/environ`)}`.includes(path),
  );
}
