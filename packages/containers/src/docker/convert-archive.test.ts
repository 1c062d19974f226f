import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { digestOf, mediaTypes } from '@nodewright/oci';
import { type Pack, pack } from 'tar-stream';
import { tarEntries } from '../oci-layout/tar-entries.ts';
import { convertArchive } from './convert-archive.ts';

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const blobName = (bytes: Uint8Array) => `blobs/${digestOf(bytes).replace(':', '/')}`;
const tagFor = (name: string) => `own.invalid/${name.replace(/^[^/]*\//, '')}`;

function tarOf(fill: (archive: Pack) => void): Promise<Buffer> {
  const archive = pack();
  fill(archive);
  archive.finalize();
  return buffer(archive);
}

async function* inPieces(bytes: Uint8Array, size = 4096): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const config = json({ architecture: 'amd64' });
const layer = Buffer.alloc(3_000_000, 1);
const describe = (mediaType: string, bytes: Uint8Array) => ({
  mediaType,
  digest: digestOf(bytes),
  size: bytes.length,
});
const manifest = json({
  config: describe(mediaTypes.config, config),
  layers: [describe(mediaTypes.layer, layer)],
});

function layoutOf(name: string, sent: Uint8Array = layer): Promise<Buffer> {
  const annotations = { 'io.containerd.image.name': name };
  return tarOf((archive) => {
    const index = { manifests: [{ ...describe(mediaTypes.manifest, manifest), annotations }] };
    archive.entry({ name: 'index.json' }, json(index));
    for (const bytes of [manifest, config]) archive.entry({ name: blobName(bytes) }, Buffer.from(bytes));
    archive.entry({ name: blobName(layer) }, Buffer.from(sent));
  });
}

/** The archive as the engine would read it. */
async function converted(archive: Uint8Array) {
  const { bytes, names } = convertArchive({ archive: inPieces(archive), platform: 'linux/amd64', tagFor });
  const files = new Map<string, Buffer>();
  for await (const { path, bytes: content } of tarEntries(bytes)) files.set(path, await buffer(content));
  return { files, names: names() };
}

test('convertArchive() passes every blob to the engine, under names of this node only', async () => {
  const { files, names } = await converted(await layoutOf('registry.example/app:v1'));
  assert.deepEqual(names, ['registry.example/app:v1']);
  assert.deepEqual(
    [...files.keys()].sort(),
    [manifest, config, layer].map(blobName).concat('manifest.json').sort(),
  );
  assert.deepEqual(JSON.parse(String(files.get('manifest.json'))), [
    { Config: blobName(config), RepoTags: ['own.invalid/app:v1'], Layers: [blobName(layer)] },
  ]);
});

test('convertArchive() renames the images of docker save, and drops images without a name', async () => {
  const archive = await tarOf((out) => {
    const images = [
      { Config: 'c.json', RepoTags: ['busybox:latest'], Layers: ['l.tar'] },
      { Config: 'c.json', RepoTags: null, Layers: ['l.tar'] },
    ];
    out.entry({ name: 'manifest.json' }, json(images));
    out.entry({ name: 'repositories' }, json({ busybox: { latest: 'x' } }));
    out.entry({ name: 'c.json' }, config);
    out.entry({ name: 'l.tar' }, layer);
  });
  const { files, names } = await converted(archive);
  assert.deepEqual(names, ['docker.io/library/busybox:latest']);
  assert.deepEqual([...files.keys()], ['c.json', 'l.tar', 'manifest.json']);
  assert.deepEqual(JSON.parse(String(files.get('manifest.json'))), [
    { Config: 'c.json', RepoTags: ['own.invalid/library/busybox:latest'], Layers: ['l.tar'] },
  ]);
});

test('convertArchive() refuses an archive that is truncated anywhere', async () => {
  const whole = await layoutOf('registry.example/app:v1');
  for (const length of [1700, whole.length / 2])
    await assert.rejects(converted(whole.subarray(0, length)), { kind: 'data-loss' });
});

test('convertArchive() refuses a blob that does not match its name, and a name with the digest of another image', async () => {
  const wrong = Buffer.alloc(layer.length, 2);
  await assert.rejects(layoutOf('registry.example/app:v1', wrong).then(converted), { kind: 'data-loss' });
  const pinned = `registry.example/app@sha256:${'0'.repeat(64)}`;
  await assert.rejects(layoutOf(pinned).then(converted), { kind: 'data-loss' });
});

test('convertArchive() closes the archive when its reader stops', async () => {
  const whole = await layoutOf('registry.example/app:v1');
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  async function* archive() {
    try {
      for (;;) yield* inPieces(whole.subarray(0, whole.length / 2));
    } finally {
      resolve();
    }
  }
  const { bytes } = convertArchive({ archive: archive(), platform: 'linux/amd64', tagFor });
  for await (const _ of bytes) break;
  await ended;
});
