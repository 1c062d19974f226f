// `image cache-create` and `image cache-serve`: from a registry into a folder, and from the folder to a client.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { digestOf } from '@nodewright/oci';
import { blobPath, layoutBlob, manifestPath, openImageFolder, VerifiedFiles } from '@nodewright/oci/cache';
import { startUpstream } from '../registryd/upstream.ts';
import { Talosctl } from './run-talosctl.ts';

const folder = mkdtempSync(join(tmpdir(), 'image-cache-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const talosctl = await Talosctl.open();
after(() => talosctl[Symbol.asyncDispose]());
const upstream = await startUpstream();
after(() => upstream[Symbol.asyncDispose]());
const host = new URL(upstream.url).host;
const layer = randomBytes(300_000);
const image = upstream.addImage('team/app', 'v1', [layer]);
const reference = `${host}/team/app:v1`;
const run = (line: string, stdin = '') => talosctl.run(line.split(' '), { cwd: folder, stdin });
const named = { registry: host, repository: 'team/app' };

test('cache-create stores images with the flat layout, and fetches nothing twice', async () => {
  const line =
    'image cache-create --layout flat --image-cache-path cache --image-layer-cache-path layers -o json --images -';
  const first = await run(line, `${reference}\n`);
  assert.equal(first.exitCode, 0, first.stderr);
  const size = image.blobs.reduce((sum, { bytes }) => sum + bytes.length, 0);
  assert.deepEqual(JSON.parse(first.stdout), [{ image: reference, digest: image.digest, bytes: size }]);
  const cache = join(folder, 'cache');
  for (const path of [
    manifestPath({ ...named, tag: 'v1' }),
    manifestPath({ ...named, digest: image.digest }),
  ])
    assert.deepEqual(readFileSync(join(cache, path)), image.manifest);
  for (const { digest, bytes } of image.blobs)
    assert.deepEqual(readFileSync(join(cache, blobPath(digest))), bytes);
  rmSync(cache, { recursive: true });
  assert.equal((await run(line, reference)).exitCode, 0);
  assert.equal(upstream.countOf(digestOf(layer)), 1);
  assert.ok(readdirSync(cache, { recursive: true }).every((name) => !String(name).endsWith('.part')));
});

test('cache-create leaves nothing under a name when the content is wrong, and says what is missing', async () => {
  const other = upstream.addImage('team/wrong', 'v1', [randomBytes(1000)]);
  const wrong = other.blobs[1]?.digest ?? '';
  upstream.blobHook = (_request, response, bytes) => {
    if (bytes.length !== 1000) return false;
    response.writeHead(200, { 'content-length': 1000 }).end(Buffer.alloc(1000));
    return true;
  };
  const refused = await run(
    `image cache-create --layout flat --image-cache-path wrong --images ${host}/team/wrong:v1`,
  );
  assert.equal(refused.exitCode, 1);
  assert.match(refused.stderr, new RegExp(`the registry sends other content than ${wrong}`));
  assert.ok(!existsSync(join(folder, 'wrong', blobPath(wrong))));
  assert.ok(!existsSync(join(folder, 'wrong', 'manifests')));
  upstream.blobHook = undefined;
  for (const [words, message] of [
    [`--images ${host}/team/app:v9`, /HTTP 404/],
    [`--images ${reference} --platform mips`, /must be a platform such as linux\/arm64/],
    [`--images ${reference} --layout zip`, /--layout must be one of oci, flat/],
    ['--images ..', /is not an image reference/],
  ] as const) {
    const { exitCode, stderr } = await run(`image cache-create --image-cache-path none ${words}`);
    assert.notEqual(exitCode, 0);
    assert.match(stderr, message);
  }
});

test('cache-create packs a cache as one image that other programs read, and replaces it only with --force', async () => {
  const line = `image cache-create --image-cache-path packed --images ${reference}`;
  const first = await run(line);
  assert.equal(first.exitCode, 0, first.stderr);
  const packed = join(folder, 'packed');
  const read = (path: string) => JSON.parse(readFileSync(join(packed, path), 'utf8'));
  const [target] = read('index.json').manifests;
  const manifest = read(layoutBlob(target.digest));
  const config = read(layoutBlob(manifest.config.digest));
  const digests = manifest.layers.map((each: { digest: string }) => each.digest);
  assert.deepEqual(config.rootfs.diff_ids, digests);
  assert.deepEqual([config.os, config.architecture], ['linux', 'amd64']);
  const unpacked = join(folder, 'unpacked');
  mkdirSync(unpacked);
  for (const digest of digests) {
    const path = join(packed, layoutBlob(digest));
    assert.equal(digestOf(readFileSync(path)), digest);
    execFileSync('tar', ['-xf', path, '-C', unpacked]);
  }
  for (const { digest, bytes } of image.blobs)
    assert.deepEqual(readFileSync(join(unpacked, blobPath(digest))), bytes);
  assert.deepEqual(readFileSync(join(unpacked, manifestPath({ ...named, tag: 'v1' }))), image.manifest);

  const again = await run(line);
  assert.match(again.stderr, /"packed" has an image cache already: flag --force replaces it/);
  const other = upstream.addImage('team/app', 'v2', [randomBytes(1000)]);
  const { exitCode } = await run(`${line.replace(':v1', ':v2')} --force`);
  assert.equal(exitCode, 0);
  const files = readdirSync(packed, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  // The marker and the index, three layers, the configuration and the manifest.
  assert.equal(files.length, 7);
  assert.ok(!existsSync(`${packed}.unfinished`));
  const folderOf = openImageFolder(packed, new VerifiedFiles());
  assert.equal((await folderOf.manifest({ ...named, tag: 'v2' }))?.digest, other.digest);
  assert.equal(await folderOf.manifest({ ...named, tag: 'v1' }), undefined);
});

for (const layout of ['flat', 'oci'])
  test(`cache-serve serves the layout ${layout}, and writes the patch for nodes`, async () => {
    const created = await run(
      `image cache-create --layout ${layout} --force --image-cache-path served-${layout} --images ${reference}`,
    );
    assert.equal(created.exitCode, 0, created.stderr);
    const words = `image cache-serve --image-cache-path served-${layout} --address 127.0.0.1:0 --mirror a.example,b.example`;
    const server = talosctl.start(words.split(' '), { cwd: folder });
    try {
      let printed = '';
      server.stderr?.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
      while (!printed.includes('Ctrl-C')) await once(server.stderr ?? server, 'data');
      const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
      const found = await fetch(`${url}/v2/team/app/manifests/v1?ns=${host}`);
      assert.deepEqual(Buffer.from(await found.arrayBuffer()), image.manifest);
      const blobUrl = `${url}/v2/team/app/blobs/${digestOf(layer)}`;
      const blob = await fetch(blobUrl);
      assert.deepEqual(Buffer.from(await blob.arrayBuffer()), layer);
      const part = await fetch(blobUrl, { headers: { range: 'bytes=100-299999' } });
      assert.deepEqual(Buffer.from(await part.arrayBuffer()), layer.subarray(100));
      assert.equal((await fetch(`${url}/v2/team/app/manifests/v2?ns=${host}`)).status, 404);
      const document = (name: string) =>
        `apiVersion: v1alpha1\nkind: RegistryMirrorConfig\nname: ${name}\nendpoints:\n  - url: ${url}\n`;
      const patch = readFileSync(join(folder, 'image-cache-mirrors-patch.yaml'), 'utf8');
      assert.equal(patch, `${document('a.example')}---\n${document('b.example')}`);
      server.kill('SIGINT');
      await once(server, 'exit');
      assert.match(printed, /GET .*team\/app v1: 200, \d+ bytes/);
    } finally {
      server.kill('SIGKILL');
    }
  });

test('cache-serve names what is wrong with its options', async () => {
  writeFileSync(join(folder, 'tls.crt'), '');
  mkdirSync(join(folder, 'damaged'));
  for (const name of ['oci-layout', 'index.json']) writeFileSync(join(folder, 'damaged', name), '{');
  const damaged = await run('image cache-serve --image-cache-path damaged');
  assert.equal(damaged.exitCode, 1);
  assert.match(damaged.stderr, /the index of the image is not JSON|index/);
  const bad: [string, RegExp][] = [
    ['--address x', /--address must be host:port/],
    ['--tls-cert-file tls.crt', /belong together/],
  ];
  for (const [words, message] of bad) {
    const { exitCode, stderr } = await run(`image cache-serve --image-cache-path served-flat ${words}`);
    assert.equal(exitCode, 1);
    assert.match(stderr, message);
  }
});
