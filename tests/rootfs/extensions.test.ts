// System extensions: what an image takes, and what it refuses with the reason.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import type { LockedTools } from '../../rootfs/debian/locked-tools.ts';
import { commandLine } from '../../rootfs/disk/boot-entries.ts';
import { buildExtensions, maximumExtensions } from '../../rootfs/extensions/build-extensions.ts';
import { extensionDigest } from '../../rootfs/extensions/extension-digest.ts';
import { checkExtension } from '../../rootfs/extensions/extension-files.ts';
import { extensionMetadata } from '../../rootfs/extensions/extension-manifest.ts';
import { satisfiesConstraint } from '../../rootfs/extensions/version-constraint.ts';
import { unpackTools } from '../../rootfs/workshop.ts';
import { nativeArchitecture } from '../../tools/images/architecture.ts';
import { manifest, writeExtension } from '../boot/extension-source.ts';

const checkout = join(import.meta.dirname, '..', '..');
const work = mkdtempSync(join(tmpdir(), 'extensions-test-'));
after(() => rmSync(work, { recursive: true, force: true }));

const { tools, skip } = await prepare();

/** The packages come over the network. Without them some tests are skipped and say why; in CI they fail. */
async function prepare(): Promise<{ tools: LockedTools | undefined; skip: string | false }> {
  try {
    return { tools: await unpackTools({ checkout, work, architecture: nativeArchitecture() }), skip: false };
  } catch (error) {
    if (process.env.CI === 'true' || !(error instanceof Error)) throw error;
    return { tools: undefined, skip: error.message };
  }
}

const folder = () => mkdtempSync(join(work, 'folder-'));
const file = 'usr/local/share/demo/file';
const build = (paths: readonly string[]) =>
  buildExtensions(paths, {
    tools: tools ?? assert.fail('no tools'),
    work: folder(),
    epochSeconds: 1_700_000_000,
  });

test('a constraint compares the three numbers of a version, and refuses what is no comparison', () => {
  for (const [constraint, isSatisfied] of [
    ['', true],
    ['>= v1.10.0', true],
    ['>= 1.10.0 < 1.14.0', false],
    ['>=1.10.0 <1.14.0 || 1.14.x', true],
    ['1.x', true],
    ['2.X', false],
    ['>= 1.14.0-beta.1', true],
    ['!= 1.14.0', false],
    ['1.14.0', true],
    ['<= 1.13.9', false],
  ] as const)
    assert.equal(satisfiesConstraint('v1.14.0-alpha.2', constraint), isSatisfied, constraint);
  for (const constraint of ['newest', '>= 1.14', '>=1.0.0 || newest', '=> 1.0.0'])
    assert.throws(() => satisfiesConstraint('v1.14.0', constraint), /is no comparison of versions/);
});

test('a manifest has a version, a name and a constraint that this system satisfies', () => {
  const read = (text: string) => extensionMetadata(text, 'v1.14.0');
  assert.deepEqual(read(manifest('demo')), {
    ...{ name: 'demo', version: '1.2.3', author: 'Example Org', extraInfo: '' },
    description: 'An extension of the tests.',
    compatibility: { talos: { version: '>= v1.10.0' } },
  });
  for (const [text, reason] of [
    [manifest('demo').replace('v1alpha1', 'v1'), /^Error: version is not v1alpha1$/],
    [manifest('""'), /^Error: metadata\.name is missing$/],
    [manifest('demo', '>= 2.0.0'), /^Error: demo is for Talos >= 2\.0\.0, and this is v1\.14\.0$/],
    ['a: &a 1\nb: *a', /alias/i],
    ['', /^Error: version is not v1alpha1$/],
  ] as const)
    assert.throws(() => read(text), reason);
});

test('an extension has a manifest and files, folders and links in the places for them', () => {
  const make = () => writeExtension(folder(), 'demo', { [file]: 'text' });
  const good = make();
  symlinkSync('/usr/lib/anything', join(good, 'rootfs/usr/local/absolute'));
  symlinkSync('../bin/node', join(good, 'rootfs/usr/local/relative'));
  checkExtension(good);
  const cases: readonly [(path: string) => void, RegExp][] = [
    [(path) => rmSync(join(path, 'manifest.yaml')), /manifest\.yaml is missing/],
    [(path) => rmSync(join(path, 'rootfs'), { recursive: true }), /rootfs is missing/],
    [(path) => writeFileSync(join(path, 'README'), ''), /README is neither manifest\.yaml nor rootfs/],
    [(path) => writeFileSync(join(path, 'rootfs/init'), ''), /\/init is not in a place for extensions/],
    [(path) => chmodSync(join(path, 'rootfs', file), 0o4755), /file has a set-user-ID or set-group-ID bit/],
    [
      (path) => symlinkSync('../../../../etc/shadow', join(path, 'rootfs/usr/local/up')),
      /\/usr\/local\/up is a link to .*, which is above the root/,
    ],
    [
      (path) => execFileSync('mkfifo', [join(path, 'rootfs/usr/local/pipe')]),
      /\/usr\/local\/pipe is neither a file, a folder nor a link/,
    ],
    [
      (path) => void writeExtension(join(path, '..'), 'demo', { 'usr/lib/modules/6/x.ko': '' }),
      /kernel modules in extensions are not supported/,
    ],
  ];
  for (const [change, reason] of cases) {
    const path = make();
    change(path);
    assert.throws(() => checkExtension(path), reason);
  }
});

test('the digest of an extension changes with each file, name, link and program of it', () => {
  const path = writeExtension(folder(), 'demo', { [file]: 'text' });
  const seen = [extensionDigest(path), extensionDigest(join(path, 'none'))];
  const target = join(path, 'rootfs', file);
  for (const change of [
    () => writeFileSync(target, 'other'),
    () => chmodSync(target, 0o755),
    () => writeFileSync(`${target}2`, 'other'),
    () => symlinkSync('file', `${target}3`),
  ]) {
    change();
    seen.push(extensionDigest(path));
  }
  assert.equal(new Set(seen).size, seen.length);
  chmodSync(target, 0o700);
  assert.equal(extensionDigest(path), seen.at(-1));
});

test('extensions become layers with hash trees, the same every time, the last of which lists all of them', {
  skip,
}, () => {
  const sources = ['first', 'second'].map((name) => writeExtension(folder(), name, { [file]: name }));
  const packed = join(folder(), 'second.squashfs');
  tools?.run('usr/bin/mksquashfs', [sources[1] ?? '', packed, '-no-progress', '-quiet']);
  const { files, rootHashes } = build([sources[0] ?? '', packed]);
  assert.deepEqual(Object.keys(files).sort(), ['1.squashfs', '1.verity', '2.squashfs', '2.verity']);
  assert.equal(rootHashes.length, 2);
  assert.deepEqual(build(sources), { files, rootHashes });
  const layer = join(folder(), 'layer');
  writeFileSync(`${layer}.squashfs`, files['2.squashfs'] ?? '');
  tools?.run('usr/bin/unsquashfs', ['-no-progress', '-quiet', '-dest', layer, `${layer}.squashfs`]);
  assert.equal(readFileSync(join(layer, file), 'utf8'), 'second');
  const { layers } = parse(readFileSync(join(layer, 'etc/extensions.yaml'), 'utf8'));
  assert.deepEqual(
    layers.map(({ image, metadata }: { image: string; metadata: { name: string } }) => [
      image,
      metadata.name,
    ]),
    [
      ['1.squashfs', 'first'],
      ['2.squashfs', 'second'],
    ],
  );
});

test('extensions that cannot be built are named with the reason', { skip }, () => {
  const demo = writeExtension(folder(), 'demo', { [file]: 'text' });
  const text = join(folder(), 'text');
  writeFileSync(text, 'no squashfs');
  assert.throws(() => build(['/none']), /^Error: extension \/none: does not exist$/);
  assert.throws(() => build([text]), /text: is neither a folder nor a squashfs that can be unpacked$/);
  assert.throws(() => build([demo, demo]), /have the same name, demo$/);
  const many = Array.from({ length: 17 }, () => demo);
  assert.throws(() => build(many), /^Error: an image has at most 16 extensions, not 17$/);
});

test('the init accepts as many extensions as the build, and their hashes fit on the command line', () => {
  const source = readFileSync(join(checkout, 'rootfs/init/init.c'), 'utf8');
  assert.equal(Number(/#define MAXIMUM_EXTENSIONS (\d+)/.exec(source)?.[1]), maximumExtensions);
  const hash = 'a'.repeat(64);
  const extensions = Array.from({ length: maximumExtensions }, () => hash);
  for (const architecture of ['amd64', 'arm64'] as const) {
    const words = commandLine(architecture, { slot: 'A', rootHash: hash, extensions });
    // COMMAND_LINE_SIZE of both architectures is 2048; the rest is for ip= and what an operator adds.
    assert.ok(words.length < 1536, `${words.length}`);
    assert.match(words, /^((?!nodewright\.extensions=).)* nodewright\.extensions=[a,]{1039} /);
  }
});

test('the command line has the word with the extensions without extensions, too, before the root hash', () => {
  const words = commandLine('amd64', { slot: 'A', rootHash: 'hash', extensions: [] });
  assert.match(words, / nodewright\.slot=A nodewright\.extensions= nodewright\.roothash=hash$/);
});
