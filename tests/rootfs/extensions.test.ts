// System extensions: what an image takes, and what it refuses with the reason.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nativeArchitecture } from '@nodewright/build';
import { archiveItems } from '@nodewright/build/archives';
import { openTestRegistry } from '@nodewright/containers/testing';
import { layoutArchiveBytes, testImage, writeLayout } from '@nodewright/extensions/testing';
import { parse } from 'yaml';
import type { LockedTools } from '../../rootfs/debian/locked-tools.ts';
import { commandLine } from '../../rootfs/disk/boot-entries.ts';
import { buildExtensions, maximumExtensions } from '../../rootfs/extensions/build-extensions.ts';
import { extensionDigest, extensionDigests } from '../../rootfs/extensions/extension-digest.ts';
import { triplets } from '../../rootfs/recipe.ts';
import { unpackTools } from '../../rootfs/workshop.ts';
import { writeExtension } from '../boot/extension-source.ts';

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
const release = '6.12.0-test';
const build = (names: readonly string[], work = folder()) =>
  buildExtensions(names, {
    tools: tools ?? assert.fail('no tools'),
    work,
    epochSeconds: 1_700_000_000,
    modules: { release, place: placeModules },
  });

/** The root of an image with one module. */
function placeModules(target: string): void {
  const path = join(target, 'usr/lib/modules', release);
  mkdirSync(join(path, 'kernel'), { recursive: true });
  writeFileSync(join(path, 'kernel/base.ko.xz'), moduleFile('base', { exported: 'base_symbol' }));
  writeFileSync(join(path, 'modules.builtin'), 'kernel/builtin.ko\n');
  writeFileSync(join(path, 'modules.order'), 'kernel/base.ko\n');
}

interface ModuleInit {
  /** The modules that it says it needs. */
  readonly depends?: string;
  /** A symbol that it exports, and one that it needs. */
  readonly exported?: string;
  readonly needed?: string;
  readonly signature?: string;
}

/** What depmod and the build look at in a module. */
function moduleFile(name: string, init: ModuleInit = {}): Buffer {
  const { depends = '', exported, needed, signature = '~Module signature appended~\n' } = init;
  const source = join(folder(), `${name}.s`);
  const lines = [
    ...['.section .modinfo,"a"', `.string "name=${name}"`, `.string "depends=${depends}"`],
    `.string "alias=test:${name}"`,
    ...(exported === undefined ? [] : ['.section __ksymtab_strings,"a"', `.string "${exported}"`]),
    ...(needed === undefined ? [] : ['.data', `.quad ${needed}`]),
  ];
  writeFileSync(source, `${lines.join('\n')}\n`);
  const assembler = `usr/bin/${triplets[nativeArchitecture()]}-as`;
  tools?.run(assembler, [source, '-o', `${source}.o`]);
  return xz(Buffer.concat([readFileSync(`${source}.o`), Buffer.from(signature)]));
}

const xz = (bytes: Buffer) => execFileSync('xz', ['-c'], { input: bytes });

test('the digest of an extension changes with each file, name, link and program of it', () => {
  const path = writeExtension(folder(), 'demo', { [file]: 'text' });
  const seen = [extensionDigest(path)];
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
}, async () => {
  const sources = ['first', 'second'].map((name) => writeExtension(folder(), name, { [file]: name }));
  const packed = join(folder(), 'second.squashfs');
  tools?.run('usr/bin/mksquashfs', [sources[1] ?? '', packed, '-no-progress', '-quiet']);
  const { files, rootHashes } = await build([sources[0] ?? '', packed]);
  assert.deepEqual(Object.keys(files).sort(), ['1.squashfs', '1.verity', '2.squashfs', '2.verity']);
  assert.equal(rootHashes.length, 2);
  assert.deepEqual(await build(sources), { files, rootHashes });
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

test('extensions that cannot be built are named with the reason, before anything of another is unpacked', {
  skip,
}, async () => {
  const demo = writeExtension(folder(), 'demo', { [file]: 'text' });
  const text = join(folder(), 'text');
  writeFileSync(text, 'no squashfs');
  const setId = join(folder(), 'set-id.squashfs');
  const source = writeExtension(folder(), 'set-id', { [file]: 'text' });
  chmodSync(join(source, 'rootfs', file), 0o4755);
  tools?.run('usr/bin/mksquashfs', [source, setId, '-no-progress', '-quiet']);
  const many = Array.from({ length: 17 }, () => demo);
  const cases: readonly [string[], RegExp][] = [
    [['/none'], /^Error: extension \/none: does not exist, and is not the name of an image such as/],
    [[text], /text: is neither a folder, a squashfs nor a tar archive of an OCI layout$/],
    [[setId], /set-id\.squashfs: \/usr\/local\/share\/demo\/file has a set-user-ID or set-group-ID bit$/],
    [[demo, demo], /have the same name, demo$/],
    [many, /^Error: an image has at most 16 extensions, not 17$/],
  ];
  for (const [names, reason] of cases) {
    const work = folder();
    await assert.rejects(build(names.length === 1 ? [demo, ...names] : names, work), reason);
    assert.deepEqual(readdirSync(work), []);
  }
});

test('a squashfs is refused by its list, before it is unpacked', { skip }, async () => {
  const local = 'rootfs/usr/local';
  const cases: readonly (readonly [definition: string, reason: RegExp])[] = [
    [`${local}/null c 600 0 0 1 3`, /\/usr\/local\/null is a character device/],
    [`${local}/whiteout c 0 0 0 0 0`, /\/usr\/local\/whiteout is a character device/],
    [`${local}/disk b 600 0 0 8 0`, /is a block device/],
    [`${local}/pipe i 600 0 0 f`, /is a named pipe/],
    [`${local}/socket i 600 0 0 s`, /is a socket/],
    [`${local}/open d 777 0 0`, /can be written by everybody/],
    [`${local}/up s 777 0 0 ../../../etc`, /is a link to "\.\.\/\.\.\/\.\.\/etc", which is above the root/],
    [`${local}/.wh.x f 644 0 0 true`, /is a whiteout/],
    ['rootfs/etc/shadow f 600 0 0 true', /is not in a place for extensions/],
  ];
  const source = writeExtension(folder(), 'demo', { [file]: 'text' });
  mkdirSync(join(source, 'rootfs/etc'));
  for (const [definition, reason] of cases) {
    const packed = join(folder(), 'demo.squashfs');
    const words = ['-no-progress', '-quiet', '-comp', 'gzip', '-p', definition];
    tools?.run('usr/bin/mksquashfs', [source, packed, ...words]);
    const work = folder();
    await assert.rejects(build([packed], work), reason);
    assert.deepEqual(readdirSync(work), []);
  }
  const broken = writeExtension(folder(), 'demo', { 'usr/local/a\n-rw-r--r-- 0/0 1': 'x' });
  const packed = join(folder(), 'demo.squashfs');
  tools?.run('usr/bin/mksquashfs', [broken, packed, '-no-progress', '-quiet']);
  await assert.rejects(build([packed]), /has a name that cannot be listed/);
});

test('an image of a layout, of an archive and of a registry gives the same layer as its folder', {
  skip,
}, async () => {
  const one = writeExtension(folder(), 'demo', { [file]: 'text' });
  const archive = archiveItems([
    { name: 'manifest.yaml', content: { kind: 'file', data: [readFileSync(join(one, 'manifest.yaml'))] } },
    { name: 'rootfs', mode: 0o755, content: { kind: 'folder' } },
    { name: `rootfs/${file}`, content: { kind: 'file', data: [Buffer.from('text')] } },
  ]);
  const image = testImage([Buffer.concat(archive)], { config: { architecture: nativeArchitecture() } });
  const layout = writeLayout(folder(), image);
  const packed = join(folder(), 'demo.tar');
  writeFileSync(packed, layoutArchiveBytes(image));
  await using registry = await openTestRegistry();
  registry.put('demo', 'v1', image.manifest, [image]);
  const name = `${registry.host}/demo:v1`;
  const expected = await build([one]);
  for (const source of [layout, packed, name, `${registry.host}/demo@${image.manifest.digest}`])
    assert.deepEqual(await build([source]), expected, source);
  assert.deepEqual(await extensionDigests([name]), [image.manifest.digest]);
  await assert.rejects(build([`${registry.host}/demo:v2`]), /demo:v2: /);
});

test('kernel modules of extensions get an index with those of the root, as the uppermost layer', {
  skip,
}, async () => {
  const path = (name: string) => `usr/lib/modules/${release}/extra/${name}`;
  const make = (files: Readonly<Record<string, Buffer>>) => writeExtension(folder(), 'modules', files);
  const added = moduleFile('added', { depends: 'base,builtin', needed: 'base_symbol' });
  const { files } = await build([
    make({ [path('added.ko.xz')]: added, [`usr/lib/modules/${release}/modules.builtin`]: Buffer.from('') }),
  ]);
  assert.deepEqual(Object.keys(files).sort(), ['1.squashfs', '1.verity', '2.squashfs', '2.verity']);
  const layer = join(folder(), 'layer');
  writeFileSync(`${layer}.squashfs`, files['2.squashfs'] ?? '');
  tools?.run('usr/bin/unsquashfs', ['-no-progress', '-quiet', '-dest', layer, `${layer}.squashfs`]);
  const read = (name: string) => readFileSync(join(layer, 'usr/lib/modules', release, name), 'utf8');
  assert.equal(read('modules.dep'), 'kernel/base.ko.xz:\nextra/added.ko.xz: kernel/base.ko.xz\n');
  assert.match(read('modules.alias'), /^alias test:added added$/m);
  assert.equal(read('modules.builtin'), 'kernel/builtin.ko\n');
  const { layers } = parse(readFileSync(join(layer, 'etc/extensions.yaml'), 'utf8'));
  assert.deepEqual(
    layers.map(({ metadata }: { metadata: { name: string; version: string } }) => [
      metadata.name,
      metadata.version,
    ]),
    [
      ['modules', '1.2.3'],
      ['modules.dep', release],
    ],
  );
  for (const [wrong, reason] of [
    [{ 'usr/lib/modules/5.0.0/extra/x.ko.xz': added }, /\/usr\/lib\/modules\/5\.0\.0 is for another kernel/],
    [{ [path('x.ko.xz')]: moduleFile('x', { signature: '' }) }, /x\.ko\.xz has no signature/],
    [{ [path('x.ko.zst')]: added }, /is compressed with zst/],
    [{ [path('x.ko.xz')]: moduleFile('x', { depends: 'none' }) }, /needs the module none, which neither/],
  ] as const)
    await assert.rejects(build([make(wrong)]), reason);
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
