import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fetchDeb } from '../../rootfs/debian/fetch-deb.ts';
import {
  lockedPackage,
  lockFile,
  parsePrintedUris,
  readPackageLock,
} from '../../rootfs/debian/package-lock.ts';
import { membersOf } from '../../rootfs/debian/unpack-deb.ts';
import { selectModules } from '../../rootfs/initramfs/kernel-modules.ts';
import { kernelNamed, kernels } from '../../rootfs/kernels.ts';
import { compilerPackages, parts, toolPackages } from '../../rootfs/recipe.ts';

const checkout = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'packages-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const locked = { version: '1.2-3', path: 'pool/main/x/x_1.2+b1_all.deb', bytes: 4, sha256: sha256('good') };

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

test('parsePrintedUris() reads the output of apt, and ignores other lines and other hosts', () => {
  const sum = 'a'.repeat(64);
  const output = [
    `'http://m/debian/pool/main/g/glibc/libc6_2.41-12%2bdeb13u4_arm64.deb' libc6_2.41-12+deb13u4_arm64.deb 2483572 SHA256:${sum}`,
    `'http://other/debian/pool/y.deb' y_1_all.deb 1 SHA256:${sum}`,
    'Get:1 something',
  ].join('\n');
  assert.deepEqual(parsePrintedUris(output, 'http://m/debian'), {
    libc6: {
      version: '2.41-12+deb13u4',
      path: 'pool/main/g/glibc/libc6_2.41-12+deb13u4_arm64.deb',
      bytes: 2483572,
      sha256: sum,
    },
  });
});

/** Fetches a package from hosts that answer with these texts, or with a status. */
async function fetchFrom(answers: Readonly<Record<string, string | number>>, cache: string) {
  const requested: string[] = [];
  let mirrorsAsked = 0;
  const path = await fetchDeb({
    ...{ name: 'x', locked, snapshot: '20260101T000000Z', cache: join(folder, cache) },
    mirror() {
      mirrorsAsked += 1;
      return 'http://m';
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

test('fetchDeb() refuses another digest, names the package and says what to do', async () => {
  await assert.rejects(fetchFrom({ m: 'evil', 'snapshot.debian.org': 503 }, 'refused'), {
    message: `cannot fetch x 1.2-3 (mirror: SHA-256 ${sha256('evil')} instead of ${sha256('good')}; snapshot archive: status 503): make rootfs-lock takes the version that the mirror has`,
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
