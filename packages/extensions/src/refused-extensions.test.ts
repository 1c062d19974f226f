// What is refused, with which reason, and that nothing was written by then.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { digestOf, mediaTypes } from '@nodewright/oci';
import { extensionLimits } from './domain/extension-limits.ts';
import { imageSource } from './host/image-source.ts';
import { layoutFolder } from './host/layout-folder.ts';
import { checkExtension } from './index.ts';
import { entryBytes, seal, tarBytes, type WrittenEntry } from './testing/tar-bytes.ts';
import {
  blobName,
  manifestText,
  platform,
  start,
  type TestImage,
  type TestImageInit,
  testImage,
  writeLayout,
} from './testing/test-extension.ts';

const work = mkdtempSync(join(tmpdir(), 'refused-extensions-'));
after(() => rmSync(work, { recursive: true, force: true }));

const file = 'rootfs/usr/local/share/demo/file';
const tar = (...entries: WrittenEntry[]) => tarBytes([...start, ...entries]);
const image = (...entries: WrittenEntry[]) => testImage([tar(...entries)]);
const withManifest = (content: string) => testImage([tarBytes([{ name: 'manifest.yaml', content }])]);

async function check({ files }: Pick<TestImage, 'files'>): Promise<unknown> {
  const folder = mkdtempSync(join(work, 'layout-'));
  writeLayout(folder, { files });
  await using source = imageSource(layoutFolder(folder, platform), platform);
  return checkExtension(source, 'v1.14.0');
}

/** Replaces a blob by other bytes, under the old name. */
const replaced = ({ files, ...one }: TestImage, digest: string, bytes: Buffer): TestImage => ({
  ...one,
  files: { ...files, [blobName(digest)]: bytes },
});
const firstLayer = ({ layers }: TestImage) => layers[0] ?? assert.fail('no layer');

function flipped(): TestImage {
  const whole = image({ name: file, content: 'text' });
  const { digest, bytes } = firstLayer(whole);
  const changed = Buffer.from(bytes);
  changed[changed.length >> 1] = (changed[changed.length >> 1] ?? 0) ^ 1;
  return replaced(whole, digest, changed);
}

const fileHeader = (change: (header: Buffer) => void): TestImage => image({ name: file, change });
const sealed = (change: (header: Buffer) => void) =>
  fileHeader((header) => {
    change(header);
    seal(header);
  });
const ofImage = (init: TestImageInit) => testImage([tar({ name: file, content: 'text' })], init);

const cases: readonly (readonly [what: string, image: () => Pick<TestImage, 'files'>, reason: RegExp])[] = [
  // Names.
  [
    'an absolute name',
    () => image({ name: '/etc/passwd' }),
    /^the name "\/etc\/passwd" begins with a slash$/,
  ],
  ['a name that climbs', () => image({ name: 'rootfs/usr/local/../../../x' }), /has a part "\.\."$/],
  ['a name with an empty part', () => image({ name: 'rootfs//usr/local/x' }), /has an empty part/],
  [
    'a name with a line break',
    () => image({ name: 'rootfs/usr/local/a\nb' }),
    /"rootfs\/usr\/local\/a\\nb" has control/,
  ],
  ['a name that is not UTF-8', () => sealed((header) => header.writeUInt8(0xff, 20)), /is not UTF-8$/],
  ['no name', () => image({ name: '' }), /^an entry has no name$/],
  [
    'a long part',
    () => image({ name: 'x', extended: { path: `rootfs/usr/local/${'x'.repeat(256)}` } }),
    /a part of more than 255 bytes$/,
  ],
  [
    'a long path',
    () => image({ name: 'x', extended: { path: `rootfs/usr/local/${'x/'.repeat(600)}x` } }),
    /more than 1024 bytes$/,
  ],
  [
    'a deep path',
    () => image({ name: 'x', extended: { path: `rootfs/usr/local/${'x/'.repeat(80)}x` } }),
    /more than 64 parts$/,
  ],
  // Places.
  [
    'a file beside the root',
    () => image({ name: 'README' }),
    /^"README" is neither manifest\.yaml nor rootfs$/,
  ],
  [
    'a file of the root',
    () => image({ name: 'rootfs/usr/bin/node' }),
    /^\/usr\/bin\/node is not in a place for extensions$/,
  ],
  [
    'a list of modules to load',
    () => image({ name: 'rootfs/usr/lib/modules-load.d/x.conf' }),
    /is not in a place/,
  ],
  [
    'a place replaced by a link',
    () => image({ name: 'rootfs/usr/lib/udev/rules.d', type: '2', target: '/var/rules' }),
    /^\/usr\/lib\/udev\/rules\.d is not in a place/,
  ],
  [
    'a folder over a link of the root',
    () => image({ name: 'rootfs/lib/', type: '5' }),
    /^\/lib is not in a place/,
  ],
  [
    'a folder over a program',
    () => image({ name: 'rootfs/usr/bin/runc/', type: '5' }),
    /^\/usr\/bin\/runc is not in a place/,
  ],
  // Kinds and modes.
  [
    'a character device',
    () => image({ name: 'rootfs/usr/local/null', type: '3' }),
    /^\/usr\/local\/null is a character device, and neither/,
  ],
  ['a block device', () => image({ name: 'rootfs/usr/local/sda', type: '4' }), /is a block device/],
  ['a named pipe', () => image({ name: 'rootfs/usr/local/pipe', type: '6' }), /is a named pipe/],
  [
    'an unknown type',
    () => image({ name: 'rootfs/usr/local/x', type: 'Z' }),
    /is an entry of an unknown type/,
  ],
  ['a sparse file of GNU tar', () => image({ name: file, type: 'S' }), /is a sparse file/],
  [
    'a sparse file of pax',
    () => image({ name: file, extended: { 'GNU.sparse.major': '1' } }),
    /is a sparse file/,
  ],
  [
    'a set-user-ID bit',
    () => image({ name: file, mode: 0o4755 }),
    /file has a set-user-ID or set-group-ID bit$/,
  ],
  [
    'a set-group-ID bit of a folder',
    () => image({ name: 'rootfs/usr/local/x/', type: '5', mode: 0o2755 }),
    /set-group-ID bit$/,
  ],
  [
    'a file that everybody can write',
    () => image({ name: file, mode: 0o666 }),
    /can be written by everybody \(mode 666\)$/,
  ],
  [
    'a folder that everybody can write',
    () => image({ name: 'rootfs/usr/local/x/', type: '5', mode: 0o777 }),
    /\(mode 777\)$/,
  ],
  [
    'an opaque folder',
    () =>
      image({
        name: 'rootfs/usr/local/x/',
        type: '5',
        extended: { 'SCHILY.xattr.trusted.overlay.opaque': 'y' },
      }),
    /which hides files of other layers$/,
  ],
  ['a whiteout', () => image({ name: 'rootfs/usr/local/.wh.share' }), /\.wh\.share is a whiteout/],
  ['an opaque whiteout', () => image({ name: 'rootfs/usr/local/.wh..wh..opq' }), /is a whiteout/],
  // Links.
  [
    'a link above the root',
    () => image({ name: 'rootfs/usr/local/up', type: '2', target: '../../../etc' }),
    /^\/usr\/local\/up is a link to "\.\.\/\.\.\/\.\.\/etc", which is above the root$/,
  ],
  [
    'a file behind a link',
    () =>
      image(
        { name: 'rootfs/usr/local/etc', type: '2', target: '/etc' },
        { name: 'rootfs/usr/local/etc/passwd' },
      ),
    /^\/usr\/local\/etc\/passwd is below \/usr\/local\/etc, which is a symbolic link$/,
  ],
  [
    'a link in place of a folder',
    () =>
      image(
        { name: 'rootfs/usr/local/etc/passwd' },
        { name: 'rootfs/usr/local/etc', type: '2', target: '/etc' },
      ),
    /^\/usr\/local\/etc is in it twice$/,
  ],
  [
    'a file behind a link of a lower layer',
    () =>
      testImage([
        tar({ name: 'rootfs/usr/local/etc', type: '2', target: '/etc' }),
        tarBytes([{ name: 'rootfs/usr/local/etc/passwd' }]),
      ]),
    /is below \/usr\/local\/etc, which is a symbolic link$/,
  ],
  [
    'a link without a target',
    () => image({ name: 'rootfs/usr/local/x', type: '2' }),
    /is a link without a target$/,
  ],
  [
    'a link with a long target',
    () => image({ name: 'rootfs/usr/local/x', type: '2', extended: { linkpath: 'x'.repeat(2000) } }),
    /target has more than 1024 bytes$/,
  ],
  [
    'a hard link out of the archive',
    () => image({ name: 'rootfs/usr/local/x', type: '1', target: '/etc/shadow' }),
    /begins with a slash$/,
  ],
  [
    'a hard link to a file that is not in it',
    () => image({ name: 'rootfs/usr/local/x', type: '1', target: 'rootfs/usr/local/y' }),
    /is no file before it$/,
  ],
  [
    'a hard link to a link',
    () =>
      image(
        { name: 'rootfs/usr/local/y', type: '2', target: '/etc' },
        { name: 'rootfs/usr/local/x', type: '1', target: 'rootfs/usr/local/y' },
      ),
    /is no file before it$/,
  ],
  [
    'the root as a link',
    () =>
      testImage([
        tarBytes([
          { name: 'manifest.yaml', content: manifestText() },
          { name: 'rootfs', type: '2', target: '/' },
        ]),
      ]),
    /^rootfs is a symbolic link and no folder$/,
  ],
  // Twice.
  ['a file twice', () => image({ name: file }, { name: file }), /file is in it twice$/],
  [
    'a file twice, with other spelling',
    () => image({ name: file }, { name: `./${file}` }),
    /file is in it twice$/,
  ],
  [
    'a file in two layers',
    () => testImage([tar({ name: file }), tarBytes([{ name: file }])]),
    /file is in it twice$/,
  ],
  [
    'a file in place of a folder',
    () => image({ name: 'rootfs/usr/local/x/', type: '5' }, { name: 'rootfs/usr/local/x' }),
    /is in it twice$/,
  ],
  // Sizes and numbers.
  ['a large file', () => sealed((header) => header.write('77777777777', 124)), /file is larger than 1 GiB$/],
  [
    'a number in binary that is too large',
    () => sealed((header) => header.fill(0xff, 124, 136)),
    /a number that is too large$/,
  ],
  [
    'large files together',
    () =>
      image(
        ...[1, 2, 3].map((number) => ({
          name: `rootfs/usr/local/${number}`,
          size: extensionLimits.fileBytes,
        })),
      ),
    /archive ends early$/,
  ],
  [
    'many files',
    () =>
      testImage([
        Buffer.concat([
          ...start.flatMap(entryBytes),
          ...Array.from({ length: extensionLimits.entries }, (_, at) =>
            entryBytes({ name: `rootfs/usr/local/${at}` }),
          ).flat(),
          Buffer.alloc(1024),
        ]),
      ]),
    /^it has more than 50000 files, folders and links$/,
  ],
  [
    'many hard links to a large file',
    () =>
      image(
        { name: file, content: Buffer.alloc(1 << 24) },
        ...Array.from({ length: 200 }, (_, at) => ({
          name: `rootfs/usr/local/${at}`,
          type: '1',
          target: file,
        })),
      ),
    /files are larger than 2 GiB together$/,
  ],
  [
    'many layers',
    () => testImage([tar(), ...Array.from({ length: extensionLimits.layers }, () => tarBytes([]))]),
    /^it has more than 32 layers$/,
  ],
  [
    'a large extended header',
    () => image({ name: 'x', extended: { comment: 'x'.repeat(1 << 17) } }),
    /an extended header of more than 64 KiB$/,
  ],
  [
    'a large manifest',
    () => withManifest(`${manifestText()}# ${'x'.repeat(1 << 17)}\n`),
    /^\/manifest\.yaml is larger than 64 KiB$/,
  ],
  ['zeros without an end', () => testImage([tar()], { pack: zeroBomb }), /more than 16 MiB behind its end$/],
  // Archives.
  ['a wrong checksum', () => fileHeader((header) => header.write('x', 0)), /wrong checksum$/],
  [
    'a size that is no number',
    () => sealed((header) => header.write('9x', 124)),
    /a number that cannot be read$/,
  ],
  [
    'a folder with content',
    () => image({ name: 'rootfs/usr/local/x/', type: '5', content: 'text' }),
    /has a folder with content$/,
  ],
  ['a file with the name of a folder', () => image({ name: 'rootfs/usr/local/x/' }), /ends with a slash$/],
  [
    'a global header with a name',
    () => image({ name: 'g', type: 'g', content: '18 path=manifest\n\n' }),
    /a global header that changes/,
  ],
  [
    'an extended header without a length',
    () => image({ name: 'x', type: 'x', content: 'path=x\n' }),
    /extended tar header cannot be read$/,
  ],
  [
    'two long names',
    () => image({ name: 'L', type: 'L', content: 'a\0' }, { name: 'x', extended: { path: 'b' } }),
    /names an entry twice/,
  ],
  [
    'two extended headers of one entry',
    () => image({ name: 'x', type: 'x', content: '13 comment=a\n' }, { name: 'x', extended: { path: 'b' } }),
    /an entry with two extended headers$/,
  ],
  [
    'an end before its blocks',
    () => testImage([tar({ name: file, content: 'text' }).subarray(0, -1024)]),
    /archive ends early$/,
  ],
  [
    'content behind its end',
    () => testImage([Buffer.concat([tar(), tar({ name: file })])]),
    /content behind its end$/,
  ],
  ['another format', () => testImage([Buffer.from('PK\x03\x04'.padEnd(4096, 'x'))]), /tar header/],
  // Images.
  ['a flipped bit of a layer', flipped, /^the content of sha256:[0-9a-f]{64} was changed/],
  [
    'a truncated layer',
    () => {
      const whole = image();
      const { digest, bytes } = firstLayer(whole);
      return replaced(whole, digest, bytes.subarray(0, -3));
    },
    /of its \d+ bytes$/,
  ],
  [
    'a longer layer',
    () => {
      const whole = image();
      const { digest, bytes } = firstLayer(whole);
      return replaced(whole, digest, Buffer.concat([bytes, bytes]));
    },
    /more than its \d+ bytes$/,
  ],
  [
    'a missing layer',
    () => {
      const { files, ...whole } = image();
      const kept = Object.entries(files).filter(
        ([name]) => name !== blobName(firstLayer({ ...whole, files }).digest),
      );
      return { files: Object.fromEntries(kept) };
    },
    /is missing in its layout$/,
  ],
  [
    'a wrong digest of the contents',
    () => ofImage({ config: { rootfs: { diff_ids: [digestOf(Buffer.from('other'))] } } }),
    /when unpacked, and not sha256/,
  ],
  [
    'fewer digests than layers',
    () => ofImage({ config: { rootfs: { diff_ids: [] } } }),
    /1 layers, and the digests of 0$/,
  ],
  [
    'another architecture',
    () => ofImage({ config: { architecture: 'arm64' } }),
    /is for "linux\/arm64", and not for linux\/amd64$/,
  ],
  [
    'a layer of an unknown type',
    () => ofImage({ layerType: 'application/vnd.example' }),
    /is not the type of a layer/,
  ],
  [
    'a layer that is not compressed as it says',
    () => ofImage({ layerType: mediaTypes.zstdLayer }),
    /cannot be decompressed/,
  ],
  [
    'no layer',
    () => ofImage({ manifest: (given) => ({ ...given, layers: [] }) }),
    /^its image has no layer$/,
  ],
  [
    'a blob with a name that climbs',
    () => ofImage({ manifest: (given) => ({ ...given, config: { digest: '../../etc/passwd', size: 1 } }) }),
    /without a digest and size$/,
  ],
  [
    'two images',
    () => ofImage({ index: (manifest) => ({ manifests: [manifest, manifest] }) }),
    /its layout has 2 images/,
  ],
  ['an index that leads to itself', () => indexLoop(), /digest is|was changed/],
  [
    'another version of the layout',
    () => ({ files: { ...image().files, 'oci-layout': Buffer.from('{"imageLayoutVersion":"2.0.0"}') } }),
    /no imageLayoutVersion 1\.0\.0$/,
  ],
  // Manifests.
  [
    'no manifest',
    () => testImage([tarBytes([{ name: 'rootfs/', type: '5' }])]),
    /^manifest\.yaml is missing$/,
  ],
  ['no root', () => withManifest(manifestText()), /^rootfs is missing$/],
  [
    'another version of the manifest',
    () => manifestImage(manifestText().replace('v1alpha1', 'v1')),
    /^version is not v1alpha1$/,
  ],
  ['no name in the manifest', () => manifestImage(manifestText('""')), /^metadata\.name is missing$/],
  ['a name that is no label', () => manifestImage(manifestText('"a/b"')), /is not the name of an extension/],
  [
    'a name that controls a terminal',
    () => manifestImage(manifestText('"a\\e[2J"')),
    /^name has control characters$/,
  ],
  [
    'the name of the index of modules',
    () => manifestImage(manifestText('modules.dep')),
    /is not the name of an extension/,
  ],
  [
    'a newer system',
    () => manifestImage(manifestText('demo', '>= 2.0.0')),
    /^demo is for Talos >= 2\.0\.0, and this is v1\.14\.0$/,
  ],
  [
    'a constraint that is a list',
    () => manifestImage(manifestText().replace('">= v1.10.0"', '[">= 9.0.0"]')),
    /^version is no text$/,
  ],
  ['a manifest that refers to itself', () => manifestImage('a: &a 1\nb: *a\n'), /alias/i],
  ['a manifest with a name twice', () => manifestImage(`${manifestText()}version: v1alpha1\n`), /unique/],
  [
    'a manifest that is not UTF-8',
    () =>
      testImage([
        tarBytes([
          { name: 'manifest.yaml', content: Buffer.from([0xff, 0xfe]) },
          { name: 'rootfs/', type: '5' },
        ]),
      ]),
    /^manifest\.yaml is not UTF-8$/,
  ],
];

const manifestImage = (content: string) =>
  testImage([
    tarBytes([
      { name: 'manifest.yaml', content },
      { name: 'rootfs/', type: '5' },
    ]),
  ]);

function indexLoop(): Pick<TestImage, 'files'> {
  const { files } = image();
  const self = { mediaType: mediaTypes.index, digest: digestOf(Buffer.from('index')), size: 400 };
  const text = Buffer.from(JSON.stringify({ manifests: [self] }).padEnd(400));
  return { files: { ...files, 'index.json': text, [blobName(self.digest)]: text } };
}

/** More zeros behind the end of the archive than any program writes: a kilobyte for a mebibyte. */
const zeroBomb = (tar: Buffer) =>
  Buffer.concat([gzipSync(tar), ...Array.from({ length: 20 }, () => gzipSync(Buffer.alloc(1 << 20)))]);

for (const [what, make, reason] of cases)
  test(`an extension with ${what} is refused`, async () => {
    await assert.rejects(check(make()), (error: Error & { kind?: string }) => {
      assert.match(error.message, reason);
      assert.match(`${error.kind}`, /^(invalid-argument|data-loss)$/);
      return true;
    });
  });

test('a layout in which a blob or a document is a link is refused: it would be read from elsewhere', async () => {
  const folder = mkdtempSync(join(work, 'layout-'));
  const { files } = image();
  const { 'index.json': index, ...others } = files;
  assert.ok(index);
  writeLayout(folder, { files: others });
  symlinkSync('/etc/hostname', join(folder, 'index.json'));
  await using source = imageSource(layoutFolder(folder, platform), platform);
  await assert.rejects(checkExtension(source, 'v1.14.0'), { message: 'index.json is missing in its layout' });
});

test('an extension whose layers unpack to more than they may is refused while they are read', async () => {
  const folder = mkdtempSync(join(work, 'layout-'));
  writeLayout(folder, image({ name: file, content: Buffer.alloc(1 << 20) }));
  await using source = imageSource(layoutFolder(folder, platform), platform, 1 << 19);
  await assert.rejects(checkExtension(source, 'v1.14.0'), {
    message: 'its layers have more than 512 KiB when unpacked',
  });
});

test('checking writes nothing', async () => {
  const temporary = join(work, 'temporary');
  mkdirSync(temporary);
  const old = process.env.TMPDIR;
  process.env.TMPDIR = temporary;
  try {
    await assert.rejects(check(flipped()), { message: /^the content of sha256:[0-9a-f]{64} was changed/ });
  } finally {
    if (old === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = old;
  }
  assert.deepEqual(readdirSync(temporary), []);
});

test('layers of all three types are read, and links and hard links that stay inside are allowed', async () => {
  const tars = [
    tar(
      { name: file, content: 'text', mode: 0o755 },
      { name: `${file}2`, type: '1', target: file },
      { name: 'rootfs/usr/local/share/absolute', type: '2', target: '/usr/lib/x' },
      { name: 'rootfs/usr/local/share/relative', type: '2', target: '../../lib/x' },
      { name: 'rootfs/usr/lib/firmware/x/', type: '5' },
      { name: 'x', content: 'long', extended: { path: `rootfs/usr/local/${'long/'.repeat(40)}file` } },
    ),
    tarBytes([
      { name: 'rootfs/usr/local/', type: '5' },
      { name: 'rootfs/usr/local/other', content: 'x' },
    ]),
  ];
  for (const [layerType, pack] of [
    [mediaTypes.layer, (bytes: Buffer) => bytes],
    [mediaTypes.gzipLayer, (bytes: Buffer) => gzipSync(bytes)],
    [mediaTypes.zstdLayer, (bytes: Buffer) => zstdCompressSync(bytes)],
  ] as const) {
    const found = (await check(testImage(tars, { layerType, pack }))) as { metadata: { name: string } };
    assert.equal(found.metadata.name, 'demo');
  }
});
