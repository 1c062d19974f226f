import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { digestOf, mediaTypes, parseManifest } from '@nodewright/oci';
import { type Header, pack } from 'tar-stream';
import { imagesInArchive } from './images-in-archive.ts';
import { readArchive, type TakeFile } from './read-archive.ts';

type Entry = readonly [header: Partial<Header> & { name: string }, content?: Uint8Array];

async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const [header, content] of entries) archive.entry(header, Buffer.from(content ?? []));
  archive.finalize();
  return buffer(archive);
}

async function* inPieces(bytes: Uint8Array, size = 700): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const take: TakeFile = async (bytes) => {
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of bytes) {
    hash.update(piece);
    size += piece.length;
  }
  return { digest: `sha256:${hash.digest('hex')}`, size };
};
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const blobName = (bytes: Uint8Array) => `blobs/${digestOf(bytes).replace(':', '/')}`;
const layout: Entry = [{ name: 'oci-layout' }, json({ imageLayoutVersion: '1.0.0' })];
const target = (annotations?: Record<string, string>) => ({
  mediaType: mediaTypes.manifest,
  digest: digestOf(Buffer.from('manifest')),
  size: 8,
  ...(annotations === undefined ? {} : { annotations }),
});

test('readArchive() imports each file once and keeps the documents, in any order', async () => {
  const blob = Buffer.from('blob'.repeat(1000));
  const entries: Entry[] = [
    [{ name: './index.json' }, json({})],
    [{ name: 'blobs/', type: 'directory' }],
    [{ name: blobName(blob) }, blob],
    [{ name: 'hard', type: 'link', linkname: blobName(blob) }],
    [{ name: 'a/soft', type: 'symlink', linkname: `../${blobName(blob)}` }],
    [{ name: 'dangling', type: 'symlink', linkname: '../../etc/passwd' }],
    layout,
  ];
  const { files, documents } = await readArchive(inPieces(await tarOf(entries)), take);
  const file = { digest: digestOf(blob), size: 4000, start: Buffer.from('blobblob') };
  assert.deepEqual([...documents.keys()], ['index.json', 'oci-layout']);
  assert.deepEqual(Object.fromEntries(files), { [blobName(blob)]: file, hard: file, 'a/soft': file });
});

test('readArchive() refuses content that does not match its name, and truncated archives', async () => {
  const wrong = await tarOf([[{ name: `blobs/sha256/${'0'.repeat(64)}` }, Buffer.from('other')]]);
  await assert.rejects(readArchive(inPieces(wrong), take), { kind: 'data-loss' });
  const whole = await tarOf([[{ name: 'file' }, Buffer.alloc(5000)]]);
  await assert.rejects(readArchive(inPieces(whole.subarray(0, 3000)), take), { kind: 'data-loss' });
  await assert.rejects(readArchive(inPieces(Buffer.from('no tar'.repeat(500))), take), { kind: 'data-loss' });
});

test("readArchive() fails with the error of the file sink, or of the archive's source", async () => {
  const whole = await tarOf([[{ name: 'file' }, Buffer.alloc(5000)]]);
  const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
  await assert.rejects(
    readArchive(inPieces(whole), () => Promise.reject(full)),
    { kind: 'resource-exhausted' },
  );
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield whole.subarray(0, 1000);
    throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  }
  await assert.rejects(readArchive(broken(), take), { kind: 'unavailable' });
});

test('imagesInArchive() finds the names of a layout, and ignores images with only a tag', () => {
  const index = json({
    manifests: [
      target({ 'org.opencontainers.image.ref.name': 'v1' }),
      target({
        'io.containerd.image.name': 'registry.example/app:v1',
        'org.opencontainers.image.ref.name': 'v1',
      }),
      target({ 'org.opencontainers.image.ref.name': 'team/app:v2' }),
      target(),
    ],
  });
  const images = imagesInArchive({ files: new Map(), documents: new Map([['index.json', index]]) });
  assert.deepEqual(
    images.map(({ reference }) => reference),
    ['registry.example/app:v1', 'docker.io/team/app:v2'],
  );
});

test('imagesInArchive() builds a manifest for the output of docker save, with the type of each layer', async () => {
  const [config, tar] = [json({ architecture: 'amd64' }), Buffer.alloc(2048)];
  const gzip = gzipSync(tar);
  const entries: Entry[] = [
    [{ name: 'c.json' }, config],
    [{ name: '1/layer.tar' }, tar],
    [{ name: '2/layer.tar' }, gzip],
    [
      { name: 'manifest.json' },
      json([{ Config: 'c.json', RepoTags: ['app:v1', 'app:v2'], Layers: ['1/layer.tar', '2/layer.tar'] }]),
    ],
  ];
  const images = imagesInArchive(await readArchive(inPieces(await tarOf(entries)), take));
  assert.deepEqual(
    images.map(({ reference }) => reference),
    ['docker.io/library/app:v1', 'docker.io/library/app:v2'],
  );
  const { madeUp = Buffer.alloc(0), target: made } = images[0] ?? {};
  assert.deepEqual(parseManifest(madeUp), {
    config: { mediaType: mediaTypes.config, digest: digestOf(config), size: config.length },
    layers: [
      { mediaType: mediaTypes.layer, digest: digestOf(tar), size: tar.length },
      { mediaType: mediaTypes.gzipLayer, digest: digestOf(gzip), size: gzip.length },
    ],
  });
  assert.deepEqual(made, { mediaType: mediaTypes.manifest, digest: digestOf(madeUp), size: madeUp.length });
});

test('imagesInArchive() accepts a name with a digest only for the image with that digest', () => {
  const named = (digest: string) => {
    const index = json({
      manifests: [target({ 'io.containerd.image.name': `registry.example/app@${digest}` })],
    });
    return imagesInArchive({ files: new Map(), documents: new Map([['index.json', index]]) });
  };
  const { digest } = target();
  assert.equal(named(digest)[0]?.reference, `registry.example/app@${digest}`);
  assert.throws(() => named(`sha256:${'0'.repeat(64)}`), { kind: 'data-loss' });
});

test('imagesInArchive() explains why an archive contains no image', () => {
  const found = (documents: Record<string, Buffer>) =>
    imagesInArchive({ files: new Map(), documents: new Map(Object.entries(documents)) });
  const rows: [Record<string, Buffer>, string, RegExp][] = [
    [{}, 'invalid-argument', /no index\.json and no manifest\.json/],
    [{ 'index.json': json({ manifests: [target()] }) }, 'invalid-argument', /names no image/],
    [{ 'manifest.json': json([]) }, 'invalid-argument', /names no image/],
    [{ 'manifest.json': json({}) }, 'data-loss', /docker save/],
    [
      { 'manifest.json': json([{ Config: 'c.json', RepoTags: ['a:b'], Layers: [] }]) },
      'data-loss',
      /lacks "c\.json"/,
    ],
  ];
  for (const [documents, kind, message] of rows) assert.throws(() => found(documents), { kind, message });
});
