import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { digestOf, mediaTypes, parseImageReference, platformOfNode } from '@nodewright/oci';
import { blobPath, manifestPath } from '@nodewright/oci/cache';
import { pack } from 'tar-stream';
import type { ContainerRuntime } from '../container-runtime.ts';
import type { ImageInfo } from '../image-store.ts';
import { imagesInArchive } from '../oci-layout/images-in-archive.ts';
import { readArchive } from '../oci-layout/read-archive.ts';
import { type ImageCache, openImageCache } from './image-cache.ts';
import { withImageCache } from './with-image-cache.ts';

const reference = 'registry.example:5000/team/app:v1';
const platform = platformOfNode('x64');

function emptyRoot(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'image-cache-'));
  t.after(() => rmSync(root, { recursive: true }));
  return root;
}

function put(root: string, path: string, content: Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const describe = (mediaType: string, content: Buffer) => ({
  ...{ mediaType, digest: digestOf(content), size: content.length },
});

const config = json({ architecture: 'amd64', os: 'linux', rootfs: { type: 'layers', diff_ids: [] } });
const layer = Buffer.from('a layer');
const manifest = json({
  schemaVersion: 2,
  mediaType: mediaTypes.manifest,
  config: describe(mediaTypes.config, config),
  layers: [describe(mediaTypes.gzipLayer, layer)],
});
const index = json({
  schemaVersion: 2,
  manifests: [
    { ...describe(mediaTypes.manifest, json({})), platform: { os: 'linux', architecture: 'arm64' } },
    { ...describe(mediaTypes.manifest, manifest), platform: { os: 'linux', architecture: 'amd64' } },
  ],
});

function putImage(root: string, document: Buffer = manifest): void {
  const named = parseImageReference(reference);
  const { registry, repository } = named;
  put(root, manifestPath(named), document);
  put(root, manifestPath({ registry, repository, digest: digestOf(manifest) }), manifest);
  for (const content of [config, layer]) put(root, blobPath(digestOf(content)), content);
}

/** The images of the archive, and the digests of its blobs. */
async function contentsOf(archive: AsyncIterable<Uint8Array> | undefined) {
  assert.ok(archive !== undefined);
  const blobs: string[] = [];
  const contents = await readArchive(archive, async (bytes) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    const content = Buffer.concat(pieces);
    blobs.push(digestOf(content));
    return { digest: digestOf(content), size: content.length, start: content.subarray(0, 8) };
  });
  const names = imagesInArchive(contents).map(({ reference, target }) => [reference, target.digest]);
  return { names, blobs: blobs.sort() };
}

test('manifestPath() and blobPath() have no colon', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  assert.equal(
    manifestPath(parseImageReference(reference)),
    'manifests/registry.example_5000_/team/app/reference/v1',
  );
  assert.equal(
    manifestPath(parseImageReference(`busybox@${digest}`)),
    `manifests/docker.io/library/busybox/digest/sha256-${'0'.repeat(64)}`,
  );
  assert.equal(blobPath(digest), `blob/sha256-${'0'.repeat(64)}`);
});

test('an image is opened as an archive with its name and all of its blobs', async (t) => {
  const root = emptyRoot(t);
  putImage(root);
  const cache = openImageCache([join(root, 'missing'), root], platform);
  const { names, blobs } = await contentsOf(await cache.open(reference));
  assert.deepEqual(names, [[reference, digestOf(manifest)]]);
  assert.deepEqual(blobs, [config, layer, manifest].map(digestOf).sort());
});

test('an image in an OCI layout is opened like one in folders, and a damaged layout does not hide a later folder', async (t) => {
  const [flat, packed] = [emptyRoot(t), emptyRoot(t)];
  putImage(flat);
  const archive = pack();
  for (const path of readdirSync(flat, { recursive: true, encoding: 'utf8' }))
    if (statSync(join(flat, path)).isFile()) archive.entry({ name: path }, readFileSync(join(flat, path)));
  archive.finalize();
  const packedLayer = Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Uint8Array>));
  const layout = json({
    ...{ schemaVersion: 2, config: describe(mediaTypes.config, config) },
    layers: [describe(mediaTypes.layer, packedLayer)],
  });
  put(packed, 'oci-layout', json({ imageLayoutVersion: '1.0.0' }));
  put(packed, 'index.json', json({ schemaVersion: 2, manifests: [describe(mediaTypes.manifest, layout)] }));
  for (const content of [config, packedLayer, layout])
    put(packed, `blobs/${digestOf(content).replace(':', '/')}`, content);
  const inFolders = await contentsOf(await openImageCache([flat], platform).open(reference));
  assert.deepEqual(await contentsOf(await openImageCache([packed], platform).open(reference)), inFolders);
  put(packed, 'index.json', Buffer.from('{'));
  assert.deepEqual(
    await contentsOf(await openImageCache([packed, flat], platform).open(reference)),
    inFolders,
  );
  await assert.rejects(openImageCache([packed], platform).open(reference), { kind: 'data-loss' });
});

test('of an index only the manifest for this platform is needed', async (t) => {
  const root = emptyRoot(t);
  putImage(root, index);
  const { names, blobs } = await contentsOf(await openImageCache([root], platform).open(reference));
  assert.deepEqual(names, [[reference, digestOf(index)]]);
  assert.deepEqual(blobs, [config, index, layer, manifest].map(digestOf).sort());
  assert.equal(await openImageCache([root], platformOfNode('s390x')).open(reference), undefined);
});

test('a cache that lacks an image, or a part of it, does not have it', async (t) => {
  const root = emptyRoot(t);
  putImage(root);
  const cache = openImageCache([root], platform);
  assert.equal(await cache.open('registry.example:5000/team/app:v2'), undefined);
  rmSync(join(root, blobPath(digestOf(layer))));
  assert.equal(await cache.open(reference), undefined);
});

test('an archive can be left before its end', { timeout: 60_000 }, async (t) => {
  const root = emptyRoot(t);
  putImage(root);
  put(root, blobPath(digestOf(layer)), Buffer.alloc(10_000_000));
  const archive = await openImageCache([root], platform).open(reference);
  assert.ok(archive !== undefined);
  for await (const piece of archive) {
    assert.ok(piece.length > 0);
    break;
  }
});

test('a file that disappears while the archive is read ends it with an error', async (t) => {
  const root = emptyRoot(t);
  putImage(root);
  const archive = await openImageCache([root], platform).open(reference);
  assert.ok(archive !== undefined);
  rmSync(join(root, blobPath(digestOf(layer))));
  await assert.rejects(Array.fromAsync(archive), /"blob\/sha256-\w+" has left the image cache/);
});

/** A runtime whose pulls and imports are written down. */
function watchedRuntime(imports: () => Promise<ImageInfo[]>) {
  const done: string[] = [];
  const info: ImageInfo = { reference, digest: 'sha256:1', sizeBytes: 1, createdAtMs: 0, labels: {} };
  const images = {
    async *pull(name: string) {
      done.push(`pull ${name}`);
      yield { kind: 'done', image: info };
    },
    async import() {
      done.push('import');
      return imports();
    },
  };
  const runtime = { name: 'fake', namespace: () => ({ name: 'system', images }) };
  return { runtime: runtime as unknown as ContainerRuntime, done, info };
}

async function pulled(runtime: ContainerRuntime, cache: ImageCache): Promise<string[]> {
  const steps: string[] = [];
  for await (const step of withImageCache(runtime, cache).namespace('system').images.pull(reference))
    steps.push(step.kind);
  return steps;
}

test('withImageCache() asks no registry for an image that the cache has', async (t) => {
  const root = emptyRoot(t);
  putImage(root);
  const { runtime, done, info } = watchedRuntime(async () => [info]);
  assert.deepEqual(await pulled(runtime, openImageCache([root], platform)), ['done']);
  assert.deepEqual(done, ['import']);
});

test('withImageCache() pulls what the cache lacks or has damaged', async (t) => {
  const root = emptyRoot(t);
  const cache = openImageCache([root], platform);
  const { runtime, done } = watchedRuntime(() => Promise.reject(new Fault('data-loss', 'damaged')));
  await pulled(runtime, cache);
  putImage(root);
  await pulled(runtime, cache);
  putImage(root, Buffer.from('{"manifests":'));
  await pulled(runtime, cache);
  const pull = `pull ${reference}`;
  assert.deepEqual(done, [pull, 'import', pull, pull]);
});

test('withImageCache() does not hide other errors of an import', async (t) => {
  const root = emptyRoot(t);
  putImage(root);
  const { runtime, done } = watchedRuntime(() => Promise.reject(new Fault('resource-exhausted', 'full')));
  await assert.rejects(pulled(runtime, openImageCache([root], platform)), { kind: 'resource-exhausted' });
  assert.deepEqual(done, ['import']);
});
