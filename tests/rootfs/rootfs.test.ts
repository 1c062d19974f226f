// The root file system of machines, assembled from the locked packages and the bundles of this checkout.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nativeArchitecture } from '@nodewright/build';
import { daemonV8Flags } from '@nodewright/build/bundles';
import { type StagedRoot, stageRoot } from '../../rootfs/build-rootfs.ts';
import type { LockedTools } from '../../rootfs/debian/locked-tools.ts';
import { compileDaemons } from '../../rootfs/image/compile-daemons.ts';
import { licencePart } from '../../rootfs/image/licence-texts.ts';
import { pathsBelow } from '../../rootfs/image/place-files.ts';
import { squashRoot } from '../../rootfs/image/squash-root.ts';
import { stripSymbols } from '../../rootfs/image/strip-symbols.ts';
import { daemons, loaders, parts, triplets } from '../../rootfs/recipe.ts';
import { unpackTools } from '../../rootfs/workshop.ts';
import { daemonCommand } from '../../services/machined/src/daemons/domain/daemon-command.ts';

const checkout = join(import.meta.dirname, '..', '..');
const architecture = nativeArchitecture();
const work = mkdtempSync(join(tmpdir(), 'rootfs-test-'));
const workshop = { checkout, work, architecture };
after(() => rmSync(work, { recursive: true, force: true }));

/** Without the programs that take minutes to build; tests/rootfs/programs has these. */
const chosen = parts.filter(({ source }) => source.kind !== 'go');
const { staged, tools, skip } = await prepare();

/** The packages come over the network. Without them the tests are skipped and say why; in CI they fail. */
async function prepare(): Promise<{
  staged: StagedRoot;
  tools: LockedTools | undefined;
  skip: string | false;
}> {
  try {
    const tools = await unpackTools(workshop);
    return { staged: await stageRoot(workshop, tools, chosen), tools, skip: false };
  } catch (error) {
    if (process.env.CI === 'true' || !(error instanceof Error)) throw error;
    return { staged: { root: work, entries: [], components: [] }, tools: undefined, skip: error.message };
  }
}

/** Runs a program of the root with the loader and the libraries of the root, not with those of this machine. */
function runInRoot(args: readonly string[]): string {
  const libraries = join(staged.root, 'usr/lib', triplets[architecture]);
  const loader = join(libraries, loaders[architecture].name);
  return execFileSync(loader, ['--library-path', libraries, ...args], { encoding: 'utf8' });
}

test('the root contains no shell, no package manager and no second interpreter', { skip }, () => {
  const programs = staged.entries
    .map(({ path }) => path)
    .filter((path) => (lstatSync(join(staged.root, path)).mode & 0o111) !== 0 && !path.includes('.so'))
    .filter((path) => !lstatSync(join(staged.root, path)).isSymbolicLink());
  // The others interpret nothing, but for nft, which reads rules; udevd is a link to udevadm.
  const ofUdev = ['usr/bin/udevadm', 'usr/lib/udev/ata_id', 'usr/lib/udev/scsi_id'];
  const makers = ['usr/bin/mke2fs', 'usr/bin/mkfs.fat', 'usr/bin/mkfs.xfs'];
  assert.deepEqual(programs, [...makers, 'usr/bin/nft', 'usr/bin/node', ...ofUdev]);
});

test('every file of the root belongs to a part of the recipe, or is a link or a configuration file', {
  skip,
}, () => {
  const listed = new Set(staged.entries.map(({ path }) => path));
  const found = pathsBelow(staged.root).filter((path) => !lstatSync(join(staged.root, path)).isDirectory());
  assert.deepEqual(
    found.filter((path) => !listed.has(path)),
    [],
  );
  assert.equal(found.length, listed.size);
  const known = [
    ...parts.map(({ name }) => name),
    ...['configuration files', 'links of the merged /usr', licencePart],
  ];
  assert.deepEqual(
    [...new Set(staged.entries.map(({ part }) => part))].filter((part) => !known.includes(part)),
    [],
  );
});

test('every package in the root has a text of its licence there', { skip }, () => {
  const listed = new Set(staged.entries.map(({ path }) => path));
  const text = (path: string) => readFileSync(join(staged.root, path), 'utf8');
  for (const { name, version, purl = '' } of staged.components) {
    if (/^pkg:npm\//.test(purl)) {
      const found = [`${version}.txt`, 'LICENSE'].map((file) => `usr/share/licenses/npm/${name}/${file}`);
      assert.ok(
        found.some((path) => listed.has(path) && text(path).length > 50),
        name,
      );
    }
    // GRUB has its text in another of its packages.
    if (/^pkg:deb\//.test(purl) && name !== 'grub-pc-bin') {
      const path = `usr/share/doc/${name}/copyright`;
      assert.ok(listed.has(path), path);
      assert.match(text(path), /copyright/i, name);
    }
  }
  assert.match(text('usr/share/doc/libstdc++6/copyright'), /GCC Runtime Library Exception/i);
  assert.match(text('usr/share/common-licenses/GPL-2'), /GNU GENERAL PUBLIC LICENSE/);
  const forge = staged.components.find(({ name }) => name === 'node-forge');
  assert.match(text(`usr/share/licenses/npm/node-forge/${forge?.version}.txt`), /Digital Bazaar/);
});

test('Node.js of the root finds all of its libraries there, and runs', { skip }, () => {
  const node = join(staged.root, 'usr/bin/node');
  const libraries = runInRoot(['--list', node]);
  const elsewhere = libraries
    .split('\n')
    .map((line) => / => (\S+)/.exec(line)?.[1])
    .filter((path) => path !== undefined && !path.startsWith(staged.root));
  assert.deepEqual(elsewhere, []);
  assert.match(runInRoot([node, '--version']), /^v26\./);
});

test('Node.js of the root has no symbol table, and still loads add-ons and calls the C library', {
  skip,
}, () => {
  const node = join(staged.root, 'usr/bin/node');
  const copy = join(work, 'node');
  cpSync(process.execPath, copy);
  assert.ok(tools !== undefined && stripSymbols(tools, copy) < 0.8 * lstatSync(process.execPath).size);
  assert.ok(readFileSync(copy).equals(readFileSync(node)), 'the same program gives the same bytes');
  assert.equal(staged.entries.find(({ path }) => path === 'usr/bin/node')?.bytes, lstatSync(node).size);
  const [addOn = ''] = globSync('usr/lib/nodewright/machined/linux_*/koffi.node', { cwd: staged.root });
  const program = `
    const { DynamicLibrary } = require('node:ffi');
    const trim = new DynamicLibrary('libc.so.6').getFunction('malloc_trim', { arguments: ['uint64'], return: 'int32' });
    const koffi = require(${JSON.stringify(join(staged.root, addOn))});
    console.log(typeof trim(0n), koffi.load('libc.so.6').func('int getpid()')() === process.pid);`;
  assert.equal(
    runInRoot([node, '--disable-warning=ExperimentalWarning', '-e', program]).trim(),
    'number true',
  );
});

/** Runs a daemon of the root, with flags of V8 and arguments. */
function runDaemon(daemon: string, flags: readonly string[], args: readonly string[]) {
  const libraries = join(staged.root, 'usr/lib', triplets[architecture]);
  const bundle = join(staged.root, 'usr/lib/nodewright', daemon, `${daemon}.cjs`);
  const words = [
    ...['--library-path', libraries, join(staged.root, 'usr/bin/node')],
    ...['--disable-warning=ExperimentalWarning', ...flags, bundle, ...args],
  ];
  const loader = join(libraries, loaders[architecture].name);
  return spawnSync(loader, words, { encoding: 'utf8' });
}

test('the daemons of the root start with its Node.js and the code that was compiled for it', { skip }, () => {
  for (const daemon of daemons) {
    const { stdout, stderr } = runDaemon(daemon, daemonV8Flags[daemon], ['--help']);
    assert.match(stdout, new RegExp(daemon));
    assert.equal(stderr, '');
  }
});

test('a daemon with other flags than its code starts all the same, and says that it is slow', {
  skip,
}, () => {
  const { stdout, stderr } = runDaemon('apid', ['--no-opt'], ['--help']);
  assert.match(stdout, /apid/);
  assert.match(stderr, /apid\.code is for another Node\.js or other flags of V8/);
});

test('the code of a daemon is the same every time, wherever the root is assembled', { skip }, () => {
  const root = join(work, 'another', 'root');
  for (const path of ['usr/bin', `usr/lib/${triplets[architecture]}`])
    cpSync(join(staged.root, path), join(root, path), { recursive: true, verbatimSymlinks: true });
  for (const daemon of daemons)
    cpSync(join(checkout, '_out/dist', daemon), join(root, 'usr/lib/nodewright', daemon), {
      recursive: true,
    });
  const starter = join(checkout, '_out/dist/start-daemon/start-daemon.cjs');
  const codes = compileDaemons({ root, architecture, starter }).filter(({ path }) => path.endsWith('.code'));
  assert.equal(codes.length, daemons.length);
  for (const { path } of codes)
    assert.ok(readFileSync(join(root, path)).equals(readFileSync(join(staged.root, path))), path);
});

test('a machine runs its daemons with the flags of V8 that their code was compiled for', () => {
  const isForV8 = (word: string) =>
    word.startsWith('--') &&
    !/^--(permission|disable-sigusr1|use-openssl-ca|allow-\S+|disable-warning=\S+)$/.test(word);
  const init = readFileSync(join(checkout, 'rootfs/init/init.c'), 'utf8');
  const [, list = ''] = /"\/usr\/bin\/node",(.*?)machined\.cjs"/s.exec(init) ?? [];
  const machined = [...list.matchAll(/"([^"]*)"/g)].map(([, word = '']) => word).filter(isForV8);
  assert.deepEqual(machined, daemonV8Flags.machined);
  for (const daemon of ['apid', 'trustd'] as const) {
    const init = { daemon, root: '', nodeBinary: 'node', servicesFolder: '', listenAddress: '' };
    const words = daemonCommand(init);
    const flags = words.slice(1, words.indexOf(`/${daemon}/${daemon}.cjs`)).filter(isForV8);
    assert.deepEqual(flags, daemonV8Flags[daemon]);
  }
});

test('the certificate authorities are one file with the certificates of the package', { skip }, () => {
  const text = readFileSync(join(staged.root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8');
  const count = text.split('-----BEGIN CERTIFICATE-----').length - 1;
  assert.equal(count, staged.entries.filter(({ part }) => part === 'ca-certificates').length);
  assert.ok(count > 100);
});

test('modes and links do not depend on the umask or the sources', { skip }, () => {
  for (const { path } of staged.entries) {
    const { mode } = lstatSync(join(staged.root, path));
    if (lstatSync(join(staged.root, path)).isSymbolicLink()) continue;
    assert.ok([0o644, 0o755].includes(mode & 0o7777), `${path}: ${(mode & 0o7777).toString(8)}`);
  }
});

test('squashRoot() writes the same bytes for the same contents, in any order and with other times', {
  skip,
}, async () => {
  assert.ok(tools !== undefined);
  const digests = [false, true].map((isReversed) => {
    const root = join(work, `small-${isReversed}`);
    const files = [
      ['a/one', 'text'],
      ['b', 'x'.repeat(300_000)],
      ['a/two', ''],
    ] as const;
    for (const [path, text] of isReversed ? files.toReversed() : files) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
      chmodSync(join(root, path), 0o644);
    }
    const target = join(work, `${isReversed}.squashfs`);
    squashRoot({ root, target, tools, epochSeconds: 1_700_000_000 });
    return readFileSync(target).toString('base64');
  });
  assert.equal(digests[0], digests[1]);
  assert.equal(Buffer.from(digests[0] ?? '', 'base64').toString('latin1', 0, 4), 'hsqs');
});
