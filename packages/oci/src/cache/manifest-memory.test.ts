import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pack } from 'tar-stream';
import { digestOf } from '../digest.ts';
import { parseImageReference } from '../image-reference.ts';
import { mediaTypes } from '../media-types.ts';
import { openCacheFiles } from './cache-files.ts';
import { manifestPath } from './cache-paths.ts';
import { openImageFolder } from './image-folder.ts';
import { ManifestMemory } from './manifest-memory.ts';
import { layoutBlob, layoutFile, layoutIndex } from './oci-layout.ts';
import { VerifiedFiles } from './verified-files.ts';

const reference = parseImageReference('registry.example/team/app:v1');
const { registry, repository } = reference;
const byDigest = (bytes: Uint8Array) => ({ registry, repository, digest: digestOf(bytes) });
const json = (value: object) => Buffer.from(JSON.stringify(value));
const [first, second] = ['first', 'second'].map((name) => json({ schemaVersion: 2, name })) as [
  Buffer,
  Buffer,
];

type Files = ReadonlyMap<string, Buffer>;

/** The files of an image with this manifest. */
const imageOf = (manifest: Buffer): Files =>
  new Map([
    [manifestPath(reference), manifest],
    [manifestPath(byDigest(manifest)), manifest],
  ]);

type Put = (path: string, content: Buffer) => void;

function storeFlat(put: Put, files: Files): void {
  for (const [path, content] of files) put(path, content);
}

async function storePacked(put: Put, files: Files): Promise<void> {
  const archive = pack();
  for (const [name, content] of files) archive.entry({ name }, content);
  archive.finalize();
  const layer = Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Uint8Array>));
  const describe = (mediaType: string, bytes: Buffer) => ({
    ...{ mediaType, digest: digestOf(bytes), size: bytes.length },
  });
  const config = json({});
  const layout = json({
    ...{ schemaVersion: 2, config: describe(mediaTypes.config, config) },
    layers: [describe(mediaTypes.layer, layer)],
  });
  for (const content of [config, layer, layout]) put(layoutBlob(digestOf(content)), content);
  put(layoutIndex, json({ schemaVersion: 2, manifests: [describe(mediaTypes.manifest, layout)] }));
  put(layoutFile, json({ imageLayoutVersion: '1.0.0' }));
}

/** A folder that counts how often a file is opened, and a clock. */
function openCounted(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'manifest-memory-'));
  t.after(() => rmSync(root, { recursive: true }));
  const put: Put = (path, content) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  const clock = { nowMs: 0 };
  const files = openCacheFiles(root);
  let opened = 0;
  const counted: typeof files = {
    ...files,
    open(path) {
      opened += 1;
      return files.open(path);
    },
  };
  const folder = openImageFolder(root, new VerifiedFiles(() => clock.nowMs), counted);
  /** The manifest of a reference, and how many files were opened for it. */
  const ask = async (which: typeof reference = reference) => {
    const before = opened;
    const found = await folder.manifest(which);
    return { bytes: found && Buffer.from(found.bytes), opened: opened - before };
  };
  return { root, put, clock, ask, files };
}

for (const [layout, store] of [
  ['folders', storeFlat],
  ['an OCI layout', storePacked],
] as const) {
  test(`a manifest in ${layout} is read once in ten minutes, and again when it has changed`, async (t) => {
    const { put, ask, clock } = openCounted(t);
    await store(put, imageOf(first));
    assert.deepEqual(await ask(), { bytes: first, opened: 2 });
    assert.deepEqual(await ask(), { bytes: first, opened: 0 });
    assert.deepEqual(await ask(byDigest(first)), { bytes: first, opened: 1 });
    assert.deepEqual(await ask(byDigest(first)), { bytes: first, opened: 0 });
    clock.nowMs = 599_999;
    assert.deepEqual(await ask(), { bytes: first, opened: 0 });
    clock.nowMs = 600_000;
    assert.deepEqual(await ask(), { bytes: first, opened: 2 });
    await store(put, imageOf(second));
    assert.deepEqual((await ask()).bytes, second);
    assert.deepEqual(await ask(), { bytes: second, opened: 0 });
  });

  test(`a file in ${layout} has the same identity whether it is opened or not`, async (t) => {
    const { put, files } = openCounted(t);
    await store(put, imageOf(first));
    const path = manifestPath(reference);
    await using file = await files.open(path);
    assert.ok(file);
    assert.equal(await files.identityOf(path), file.identity);
    assert.equal(await files.identityOf(dirname(path)), undefined);
    assert.equal(await files.identityOf(`${path}2`), undefined);
  });
}

test('a kept manifest whose files are gone is gone, and a kept tag without its digest is damaged', async (t) => {
  const { root, put, ask } = openCounted(t);
  storeFlat(put, imageOf(first));
  await ask();
  rmSync(join(root, manifestPath(byDigest(first))));
  await assert.rejects(ask(), { kind: 'data-loss' });
  storeFlat(put, imageOf(first));
  assert.deepEqual((await ask()).bytes, first);
  rmSync(join(root, manifestPath(reference)));
  assert.equal((await ask()).bytes, undefined);
});

/** A manifest with so many bytes. */
const sized = (bytes: number, identity = 'file') => ({
  identity,
  manifest: { digest: '', mediaType: mediaTypes.manifest, bytes: Buffer.alloc(bytes) },
});

test('at most a mebibyte of manifests is kept, and at most 256', () => {
  const memory = new ManifestMemory(1000, () => 0);
  for (const path of ['a', 'b', 'c']) memory.keep(path, sized(400_000));
  assert.deepEqual(
    ['a', 'b', 'c'].map((path) => memory.get(path) !== undefined),
    [false, true, true],
  );
  memory.keep('b', sized(1000, 'later'));
  memory.keep('d', sized(400_000));
  assert.equal(memory.get('b')?.identity, 'later');
  assert.ok(memory.get('c'));
  memory.keep('huge', sized(2 * 1024 * 1024));
  assert.equal(memory.get('huge'), undefined);
  for (let each = 0; each < 300; each += 1) memory.keep(`small ${each}`, sized(10));
  const kept = Array.from({ length: 300 }, (_, each) => memory.get(`small ${each}`)).filter(Boolean);
  assert.equal(kept.length, 256);
  assert.ok(memory.get('small 299'));
});
