import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  addToLock,
  debianArchives,
  type LockedPackage,
  lockedPackage,
  lockFile,
  type PackageLock,
  parsePrintedUris,
  readPackageLock,
  sourceOf,
} from '@nodewright/build/debian';
import { fetchDeb } from '../../rootfs/debian/fetch-deb.ts';
import { membersOf } from '../../rootfs/debian/unpack-deb.ts';
import { hasModule, selectModules } from '../../rootfs/initramfs/kernel-modules.ts';
import { kernelNamed, kernels } from '../../rootfs/kernels.ts';
import { compilerPackages, parts, toolPackages } from '../../rootfs/recipe.ts';

const checkout = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'packages-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const locked: LockedPackage = {
  ...{ version: '1.2-3', archive: 'debian', path: 'pool/main/x/x_1.2+b1_all.deb' },
  ...{ bytes: 4, sha256: sha256('good') },
};

test('the lock file has every package of the recipe, for both architectures', () => {
  const lock = readPackageLock(join(checkout, lockFile));
  const names = parts.filter(({ source }) => source.kind === 'debian').map(({ name }) => name);
  for (const architecture of ['amd64', 'arm64'] as const) {
    const tools = [...toolPackages(architecture), ...compilerPackages(architecture)];
    const kernelPackages = Object.values(kernels).map((kernel) => kernel.package[architecture]);
    for (const name of [...names, ...tools, ...kernelPackages]) {
      assert.match(lockedPackage(lock, architecture, name).sha256, /^[0-9a-f]{64}$/, name);
    }
  }
  assert.throws(
    () => lockedPackage(lock, 'amd64', 'nosuch'),
    /has no nosuch for amd64: run make rootfs-lock/,
  );
});

test('the lock was chosen from the updates and the security archive too, and the packages of a source have one version', () => {
  const lock = readPackageLock(join(checkout, lockFile));
  assert.deepEqual(
    lock.suites,
    Object.values(debianArchives).flatMap(({ suites }) => suites),
  );
  for (const [architecture, packages] of Object.entries(lock.packages)) {
    const sources = Map.groupBy(Object.values(packages), sourceOf);
    const mixed = [...sources].filter(([, all]) => new Set(all.map(({ version }) => version)).size > 1);
    assert.deepEqual(
      mixed.map(([source]) => source),
      [],
      architecture,
    );
    for (const [name, { archive, path }] of Object.entries(packages))
      assert.match(path, archive === 'debian' ? /^pool\/main\// : /^pool\/updates\/main\//, name);
  }
});

test('readPackageLock() refuses a lock with a package of an archive that it does not know', () => {
  const path = join(folder, 'lock.json');
  const other = {
    suites: ['trixie'],
    packages: { amd64: { x: { ...locked, archive: 'toString' } }, arm64: {} },
  };
  writeFileSync(path, JSON.stringify(other));
  assert.throws(() => readPackageLock(path), /lock\.json cannot be read: it names no archive for x/);
});

test('parsePrintedUris() reads the output of apt, names the archives, and ignores other lines and other hosts', () => {
  const sum = 'a'.repeat(64);
  const output = [
    `'http://m/debian/pool/main/g/glibc/libc6_2.41-12%2bdeb13u4_arm64.deb' libc6_2.41-12+deb13u4_arm64.deb 2483572 SHA256:${sum}`,
    `'http://m/debian-security/pool/updates/main/z/zlib/zlib1g_1%3a2-3_arm64.deb' zlib1g_1%3a2-3_arm64.deb 7 SHA256:${sum}`,
    `'http://other/debian/pool/y.deb' y_1_all.deb 1 SHA256:${sum}`,
    'Get:1 something',
  ].join('\n');
  const mirrors = [
    { archive: 'debian', root: 'http://m/debian' },
    { archive: 'debian-security', root: 'http://m/debian-security' },
  ] as const;
  assert.deepEqual(parsePrintedUris(output, mirrors), {
    libc6: {
      version: '2.41-12+deb13u4',
      archive: 'debian',
      path: 'pool/main/g/glibc/libc6_2.41-12+deb13u4_arm64.deb',
      bytes: 2483572,
      sha256: sum,
    },
    zlib1g: {
      version: '1:2-3',
      archive: 'debian-security',
      path: 'pool/updates/main/z/zlib/zlib1g_1:2-3_arm64.deb',
      bytes: 7,
      sha256: sum,
    },
  });
});

test('addToLock() adds what is missing, renews what is of the same source, and leaves the rest as it is', () => {
  const of = (source: string, version: string): LockedPackage => ({
    ...locked,
    version,
    path: `pool/main/x/${source}/p_${version}_all.deb`,
  });
  const lock: PackageLock = {
    ...{ suites: ['s'], snapshot: '20260101T000000Z' },
    packages: { amd64: { libc6: of('glibc', '1'), zlib1g: of('zlib', '1') }, arm64: {} },
  };
  const newest = {
    amd64: { libc6: of('glibc', '2'), 'libc6-dev': of('glibc', '2'), zlib1g: of('zlib', '2') },
    arm64: {},
  };
  const snapshot = '20260202T000000Z';
  assert.deepEqual(addToLock(lock, newest, snapshot).packages.amd64, {
    libc6: { ...of('glibc', '2'), snapshot },
    'libc6-dev': { ...of('glibc', '2'), snapshot },
    zlib1g: of('zlib', '1'),
  });
});

/** Fetches a package from hosts that answer with these texts, or with a status. */
async function fetchFrom(answers: Readonly<Record<string, string | number>>, cache: string, of = locked) {
  const requested: string[] = [];
  let mirrorsAsked = 0;
  const path = await fetchDeb({
    ...{ name: 'x', locked: of, snapshot: '20260101T000000Z', cache: join(folder, cache) },
    mirror(archive) {
      mirrorsAsked += 1;
      return archive === 'debian' ? 'http://m' : 'http://security';
    },
    fetch: async (url) => {
      requested.push(url);
      const answer = answers[new URL(url).host] ?? 404;
      return typeof answer === 'number' ? new Response(null, { status: answer }) : new Response(answer);
    },
  });
  return { requested, mirrorsAsked, text: readFileSync(path, 'utf8') };
}

test('fetchDeb() keeps an archive with the locked digest, and reads it once', async () => {
  const first = await fetchFrom({ m: 'good' }, 'once');
  const requested = ['http://m/pool/main/x/x_1.2%2Bb1_all.deb'];
  assert.deepEqual(first, { requested, mirrorsAsked: 1, text: 'good' });
  assert.deepEqual(await fetchFrom({}, 'once'), { requested: [], mirrorsAsked: 0, text: 'good' });
});

test('fetchDeb() takes a version that the mirror no longer has from the snapshot archive', async () => {
  const { requested } = await fetchFrom({ m: 404, 'snapshot.debian.org': 'good' }, 'snapshot');
  assert.equal(
    requested[1],
    'https://snapshot.debian.org/archive/debian/20260101T000000Z/pool/main/x/x_1.2%2Bb1_all.deb',
  );
});

test('fetchDeb() asks the mirror and the snapshots of the archive that the lock names', async () => {
  const security: LockedPackage = {
    ...locked,
    archive: 'debian-security',
    path: 'pool/updates/main/x/x_1_all.deb',
  };
  const { requested } = await fetchFrom({ m: 'evil', 'snapshot.debian.org': 'good' }, 'security', security);
  assert.deepEqual(requested, [
    'http://security/pool/updates/main/x/x_1_all.deb',
    'https://snapshot.debian.org/archive/debian-security/20260101T000000Z/pool/updates/main/x/x_1_all.deb',
  ]);
});

test('fetchDeb() refuses another digest, names the package and says what to do', async () => {
  await assert.rejects(fetchFrom({ m: 'evil', 'snapshot.debian.org': 503 }, 'refused'), {
    message: `cannot fetch x 1.2-3 of the archive debian (mirror: SHA-256 ${sha256('evil')} instead of ${sha256('good')}; snapshot archive: status 503): make update locks the versions that the mirrors have`,
  });
});

test('membersOf() reads an ar archive, and refuses a truncated one', () => {
  const member = (name: string, text: string) =>
    `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(text.length).padEnd(10)}\`\n${text}${text.length % 2 === 1 ? '\n' : ''}`;
  const archive = Buffer.from(`!<arch>\n${member('debian-binary', '2.0')}${member('data.tar.xz', 'four')}`);
  const members = membersOf(archive);
  assert.deepEqual(
    [...members].map(([name, bytes]) => [name, bytes.toString()]),
    [
      ['debian-binary', '2.0'],
      ['data.tar.xz', 'four'],
    ],
  );
  for (let length = 9; length < archive.length; length += 1) {
    // The first member is complete, with or without its padding.
    if (length === 71 || length === 72) continue;
    assert.throws(() => membersOf(archive.subarray(0, length)), /truncated/, String(length));
  }
  assert.throws(() => membersOf(Buffer.from('nothing')), /not an ar archive/);
});

test('kernelNamed() knows two kernels, and names them when it is asked for another one', () => {
  assert.equal(kernelNamed(undefined), 'cloud');
  assert.equal(kernelNamed(''), 'cloud');
  assert.equal(kernelNamed('full'), 'full');
  assert.throws(() => kernelNamed('toString'), /there is no kernel "toString": KERNEL is cloud or full/);
});

test('selectModules() leaves out what is part of the kernel, and names a module that it does not have', () => {
  const kernel = join(folder, 'kernel');
  mkdirSync(join(kernel, 'usr/lib/modules/6.1'), { recursive: true });
  writeFileSync(join(kernel, 'usr/lib/modules/6.1/modules.builtin'), 'kernel/drivers/virtio/virtio-pci.ko\n');
  assert.deepEqual(selectModules(kernel, ['virtio_pci']), []);
  assert.throws(() => selectModules(kernel, ['virtio_pci', 'nvme']), /the kernel has no module nvme/);
});

test('a module that another one asks the kernel to load before it comes with it, and is loaded first', () => {
  const kernel = join(folder, 'kernel-with-soft-dependencies');
  const place = join(kernel, 'usr/lib/modules/6.1/kernel/drivers/net');
  mkdirSync(place, { recursive: true });
  const write = (name: string, facts: string) =>
    writeFileSync(join(place, `${name}.ko.xz`), execFileSync('xz', ['-c'], { input: `\0${facts}\0` }));
  write('r8169', 'depends=libphy\0softdep=pre: crc32c realtek post: other');
  for (const name of ['libphy', 'realtek', 'other']) write(name, 'depends=');
  assert.deepEqual(
    selectModules(kernel, ['r8169']).map(({ file, needs }) => [file, needs]),
    [
      ['libphy.ko.xz', []],
      ['realtek.ko.xz', []],
      ['r8169.ko.xz', ['libphy.ko.xz', 'realtek.ko.xz']],
    ],
  );
  assert.deepEqual([hasModule(kernel, 'r8169'), hasModule(kernel, 'ena')], [true, false]);
});
