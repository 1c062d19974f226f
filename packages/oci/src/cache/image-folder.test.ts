import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { digestOf } from '../digest.ts';
import { parseImageReference } from '../image-reference.ts';
import { mediaTypes } from '../media-types.ts';
import { blobPath, manifestPath } from './cache-paths.ts';
import { openImageFolder } from './image-folder.ts';
import { VerifiedFiles } from './verified-files.ts';

const reference = parseImageReference('registry.example:5000/team/app:v1');
const { registry, repository } = reference;
const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, layers: [] }));
const byDigest = { registry, repository, digest: digestOf(manifest) };
const blob = Buffer.alloc(700_000, 'layer');

function open(t: TestContext, files: Readonly<Record<string, Buffer>>) {
  const root = mkdtempSync(join(tmpdir(), 'image-folder-'));
  t.after(() => rmSync(root, { recursive: true }));
  const put = (path: string, content: Buffer) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  for (const [path, content] of Object.entries(files)) put(path, content);
  return { root, put, folder: openImageFolder(root, new VerifiedFiles()) };
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const copies: Uint8Array[] = [];
  for await (const chunk of chunks) copies.push(Uint8Array.from(chunk));
  return Buffer.concat(copies);
}

test('a manifest is found by its tag and its digest, with the type that its keys tell', async (t) => {
  const { folder } = open(t, { [manifestPath(reference)]: manifest, [manifestPath(byDigest)]: manifest });
  const expected = { digest: byDigest.digest, mediaType: mediaTypes.manifest, bytes: manifest };
  assert.deepEqual(await folder.manifest(reference), expected);
  assert.deepEqual(await folder.manifest(byDigest), expected);
  assert.equal(await folder.manifest({ ...reference, tag: 'v2' }), undefined);
  assert.equal(await folder.manifest({ ...reference, repository: 'team/app/reference/v1' }), undefined);
  assert.equal(await folder.manifest({ registry, repository: 'team', tag: 'app' }), undefined);
  assert.deepEqual(await folder.registriesOf('team/app'), ['registry.example:5000']);
  assert.deepEqual(await folder.registriesOf('team/other'), []);
});

test('a tag whose content is not stored by its digest is damaged, and so is another content', async (t) => {
  const { folder, put } = open(t, { [manifestPath(reference)]: manifest });
  await assert.rejects(folder.manifest(reference), { kind: 'data-loss' });
  put(manifestPath(byDigest), Buffer.from('{}'));
  await assert.rejects(folder.manifest(byDigest), { kind: 'data-loss' });
  put(manifestPath(byDigest), Buffer.alloc(5 * 1024 * 1024));
  await assert.rejects(folder.manifest(byDigest), { kind: 'data-loss' });
});

test('a blob is read whole and in pieces', async (t) => {
  const { folder } = open(t, {
    [blobPath(digestOf(blob))]: blob,
    [blobPath(digestOf(Buffer.alloc(0)))]: Buffer.alloc(0),
  });
  await using file = await folder.blob(digestOf(blob));
  assert.ok(file !== undefined);
  assert.equal(file.size, blob.length);
  assert.deepEqual(await read(file.read({ start: 5, end: 600_000 })), blob.subarray(5, 600_000));
  assert.deepEqual(await read(file.read()), blob);
  await using empty = await folder.blob(digestOf(Buffer.alloc(0)));
  assert.deepEqual(empty && (await read(empty.read())), Buffer.alloc(0));
  assert.equal(await folder.blob(digestOf(manifest)), undefined);
});

test('the end of a damaged blob is never read, and then the folder does not have it', async (t) => {
  const damaged = Buffer.from(blob);
  damaged[3] = 0;
  for (const piece of [undefined, { start: 10, end: 20 }]) {
    const { folder } = open(t, { [blobPath(digestOf(blob))]: damaged });
    await using file = await folder.blob(digestOf(blob));
    assert.ok(file !== undefined);
    let count = 0;
    await assert.rejects(
      async () => {
        for await (const chunk of file.read(piece)) count += chunk.length;
      },
      { kind: 'data-loss' },
    );
    assert.ok(piece === undefined ? count < blob.length : count === 0);
    assert.equal(await folder.blob(digestOf(blob)), undefined);
  }
});

test('a reader may stop early, and a link is no file of the folder', async (t) => {
  const { folder, root } = open(t, { [blobPath(digestOf(blob))]: blob });
  await using file = await folder.blob(digestOf(blob));
  for await (const _ of file?.read() ?? []) break;
  symlinkSync(join(root, blobPath(digestOf(blob))), join(root, blobPath(digestOf(manifest))));
  assert.equal(await folder.blob(digestOf(manifest)), undefined);
});
