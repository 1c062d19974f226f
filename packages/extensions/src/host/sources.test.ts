// Archives of layouts, folders, and what a text names.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { mediaTypes } from '@nodewright/oci';
import { checkExtension, findSource } from '../index.ts';
import { tarBytes, type WrittenEntry } from '../testing/tar-bytes.ts';
import { layoutArchiveBytes, manifestText, platform, start, testImage } from '../testing/test-extension.ts';
import { zstdFrame } from '../testing/zstd-frame.ts';
import { folderSource } from './folder-source.ts';
import { imageSource } from './image-source.ts';
import { layoutArchive } from './layout-archive.ts';

const work = mkdtempSync(join(tmpdir(), 'extension-sources-'));
after(() => rmSync(work, { recursive: true, force: true }));
const folder = () => mkdtempSync(join(work, 'folder-'));

const file = 'rootfs/usr/local/share/demo';
const image = testImage([tarBytes([...start, { name: file, content: 'text' }])]);
const entries = Object.entries(image.files).map(([name, content]): WrittenEntry => ({ name, content }));

async function checkArchive(bytes: Buffer): Promise<string> {
  const path = join(folder(), 'image.tar');
  writeFileSync(path, bytes);
  await using source = imageSource(layoutArchive(path, platform), platform);
  return (await checkExtension(source, 'v1.14.0')).metadata.name;
}

test('an archive of a layout is read, in any order of its parts', async () => {
  assert.equal(await checkArchive(layoutArchiveBytes(image)), 'demo');
  assert.equal(await checkArchive(tarBytes(entries.toReversed())), 'demo');
});

test('a layer may ask for 8 MiB of memory to be decompressed, and not for more', async () => {
  const packed = (windowLog: number) =>
    layoutArchiveBytes(
      testImage([tarBytes([...start, { name: file, content: 'text' }])], {
        layerType: mediaTypes.zstdLayer,
        pack: (tar) => zstdFrame(tar, windowLog),
      }),
    );
  assert.equal(await checkArchive(packed(23)), 'demo');
  await assert.rejects(checkArchive(packed(24)), { kind: 'data-loss', message: /cannot be decompressed/ });
});

test('an archive that is not a layout, or is one in two ways, is refused', async () => {
  const cases: readonly (readonly [Buffer, RegExp])[] = [
    [tarBytes([...entries, { name: './index.json', content: '{}' }]), /archive has "index\.json" twice$/],
    [
      tarBytes([...entries, { name: 'x', type: '2', target: 'index.json' }]),
      /"x", which is no file: a symbolic link$/,
    ],
    [tarBytes([...entries, { name: '../x' }]), /has a part "\.\."$/],
    [tarBytes(entries.filter(({ name }) => name !== 'oci-layout')), /^oci-layout is missing in its archive$/],
    [tarBytes(entries.filter(({ name }) => !name.startsWith('blobs/'))), /is missing in its archive$/],
    [layoutArchiveBytes(image).subarray(0, -2048), /archive ends early$/],
  ];
  for (const [bytes, reason] of cases) await assert.rejects(checkArchive(bytes), { message: reason });
});

function makeFolder(): string {
  const path = folder();
  writeFileSync(join(path, 'manifest.yaml'), manifestText());
  mkdirSync(join(path, 'rootfs/usr/local/share'), { recursive: true });
  writeFileSync(join(path, file), 'text');
  return path;
}

test('a folder is checked like an image, and its links are not followed', async () => {
  const check = async (path: string) => {
    await using source = folderSource(path);
    return (await checkExtension(source, 'v1.14.0')).metadata.name;
  };
  assert.equal(await check(makeFolder()), 'demo');
  const cases: readonly (readonly [(path: string) => void, RegExp])[] = [
    [(path) => rmSync(join(path, 'manifest.yaml')), /^manifest\.yaml is missing$/],
    [(path) => rmSync(join(path, 'rootfs'), { recursive: true }), /^rootfs is missing$/],
    [(path) => writeFileSync(join(path, 'README'), ''), /^"README" is neither manifest\.yaml nor rootfs$/],
    [(path) => chmodSync(join(path, file), 0o4755), /set-user-ID/],
    [(path) => chmodSync(join(path, file), 0o666), /can be written by everybody/],
    [(path) => execFileSync('mkfifo', [join(path, 'rootfs/usr/local/pipe')]), /is a named pipe/],
    [(path) => symlinkSync('../../../etc/shadow', join(path, 'rootfs/usr/local/up')), /is above the root$/],
    [(path) => writeFileSync(join(path, 'rootfs/usr/local/.wh.x'), ''), /is a whiteout/],
    [
      (path) => {
        rmSync(join(path, 'manifest.yaml'));
        symlinkSync('/etc/hostname', join(path, 'manifest.yaml'));
      },
      /^manifest\.yaml is a symbolic link and no file$/,
    ],
  ];
  for (const [change, reason] of cases) {
    const path = makeFolder();
    change(path);
    await assert.rejects(check(path), { message: reason });
  }
});

test('a text names what is at its path, or an image with a registry and a tag', async () => {
  const one = makeFolder();
  const packed = join(folder(), 'packed');
  writeFileSync(packed, gzipSync(layoutArchiveBytes(image)));
  assert.deepEqual(await findSource(one), { kind: 'folder', path: one });
  assert.deepEqual(await findSource('registry.example/team/demo:v1'), {
    kind: 'registry',
    reference: { registry: 'registry.example', repository: 'team/demo', tag: 'v1' },
  });
  assert.equal((await findSource('localhost/demo:v1')).kind, 'registry');
  for (const [text, reason] of [
    [packed, /neither a folder, a squashfs nor a tar archive/],
    ['/dev/null', /neither a folder/],
    ['_out/demo', /does not exist/],
    ['./registry.example/demo:v1', /does not exist/],
    ['registry.example/demo', /does not exist/],
    ['demo:v1', /does not exist/],
    ['registry.example/UPPER:v1', /is not an image reference/],
  ] as const)
    await assert.rejects(findSource(text), { message: reason }, text);
});
