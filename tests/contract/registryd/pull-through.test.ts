import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { digestOf } from '@nodewright/oci';
import { blobPath, manifestPath } from '@nodewright/oci/cache';
import { eventually } from '@nodewright/testkit';
import { packLayout } from '../../../cli/talosctl/src/image-cache/pack-layout.ts';
import { type RegistrydInit, registry, startRegistryd } from './harness.ts';
import { sendBytes, sendCut, startUpstream } from './upstream.ts';

const layer = randomBytes(3_000_000);

async function start(t: TestContext, init: Partial<RegistrydInit> = {}) {
  const upstream = await startUpstream();
  t.after(() => upstream[Symbol.asyncDispose]());
  const image = upstream.addImage('team/app', 'v1', [layer]);
  const daemon = await startRegistryd({ mirror: upstream.url, ...init });
  t.after(() => daemon[Symbol.asyncDispose]());
  return { upstream, daemon, image };
}

const bodyOf = async (response: Response | Promise<Response>) =>
  Buffer.from(await (await response).arrayBuffer());
const errorOf = async (response: Response) => {
  const { errors } = (await response.json()) as { errors: { code: string; message: string }[] };
  return [response.status, errors[0]?.code];
};
const digest = digestOf(layer);

test('an image is downloaded once, also for readers at the same time, and then served from the disk', async (t) => {
  const { upstream, daemon, image } = await start(t);
  const eight = Array.from({ length: 8 });
  const tags = await Promise.all(eight.map(() => bodyOf(daemon.manifest('team/app', 'v1'))));
  const blobs = await Promise.all(eight.map(() => bodyOf(daemon.blob('team/app', digest))));
  for (const tag of tags) assert.deepEqual(tag, image.manifest);
  for (const blob of blobs) assert.ok(blob.equals(layer));
  assert.deepEqual([upstream.countOf('manifests/v1'), upstream.countOf(digest)], [1, 1]);
  await upstream.stop();
  await daemon.restart();
  assert.ok((await bodyOf(daemon.blob('team/app', digest))).equals(layer));
  assert.deepEqual(await bodyOf(daemon.manifest('team/app', image.digest)), image.manifest);
  // The registry is away, so its last word counts.
  assert.deepEqual(await bodyOf(daemon.manifest('team/app', 'v1')), image.manifest);
  const pathOf = (path: string) => join(daemon.cacheFolder, path);
  assert.deepEqual(readFileSync(pathOf(blobPath(digest))), layer);
  assert.deepEqual(readdirSync(pathOf('unfinished')), []);
});

test('a reader follows a download, and the last byte comes after the digest was compared', async (t) => {
  const { upstream, daemon } = await start(t);
  const gate = Promise.withResolvers<void>();
  upstream.blobHook = (_request, response, bytes) => {
    if (bytes.length < layer.length) return false;
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, -10));
    void gate.promise.then(() => response.end(bytes.subarray(-10)));
    return true;
  };
  const response = await daemon.blob('team/app', digest);
  assert.equal(response.headers.get('content-length'), String(layer.length));
  const reader = response.body?.getReader();
  let received = 0;
  // The first blocks are written after a second at the latest, although the registry sends no more.
  while (received < 2_000_000) received += (await reader?.read())?.value?.length ?? 0;
  assert.ok(received < layer.length - 10);
  gate.resolve();
  for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read())
    received += chunk.value.length;
  assert.equal(received, layer.length);
});

test('a cut download is continued where it broke', async (t) => {
  const { upstream, daemon } = await start(t);
  let cuts = 0;
  upstream.blobHook = (request, response, bytes) => {
    if (bytes.length < layer.length || cuts === 2) return false;
    cuts += 1;
    sendCut(request, response, bytes, cuts * 1_200_000);
    return true;
  };
  assert.ok((await bodyOf(daemon.blob('team/app', digest))).equals(layer));
  const ranges = upstream.requests.filter((line) => line.includes(digest)).map((line) => line.split(' ')[2]);
  assert.equal(ranges.length, 3);
  assert.deepEqual(ranges, [undefined, 'bytes=1200000-', 'bytes=2400000-']);
});

test('other content than the digest is neither served to its end nor stored', async (t) => {
  const { upstream, daemon } = await start(t);
  const other = Buffer.from(layer);
  other[7] = (other[7] ?? 0) ^ 1;
  upstream.blobHook = (request, response, bytes) => {
    if (bytes.length < layer.length) return false;
    sendBytes(request, response, other);
    return true;
  };
  await assert.rejects(bodyOf(daemon.blob('team/app', digest)));
  assert.deepEqual(readdirSync(join(daemon.cacheFolder, 'blob')), []);
  upstream.blobHook = undefined;
  assert.ok((await bodyOf(daemon.blob('team/app', digest))).equals(layer));
});

test('a damaged file of the cache is downloaded again', async (t) => {
  const { daemon, image } = await start(t);
  const path = join(daemon.cacheFolder, blobPath(digest));
  for (const which of ['v1', image.digest]) await bodyOf(daemon.manifest('team/app', which));
  await bodyOf(daemon.blob('team/app', digest));
  writeFileSync(path, Buffer.alloc(layer.length));
  await assert.rejects(bodyOf(daemon.blob('team/app', digest)));
  assert.ok((await bodyOf(daemon.blob('team/app', digest))).equals(layer));
  const stored = join(
    daemon.cacheFolder,
    manifestPath({ registry, repository: 'team/app', digest: image.digest }),
  );
  writeFileSync(stored, '{}');
  assert.deepEqual(await bodyOf(daemon.manifest('team/app', image.digest)), image.manifest);
});

test('ranges, sizes, and repositories that begin with their registry', async (t) => {
  const { upstream, daemon, image } = await start(t);
  const head = await daemon.blob('team/app', digest, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(layer.length)]);
  assert.equal(upstream.countOf(digest), 0);
  const part = await daemon.blob('team/app', digest, { headers: { range: 'bytes=100-199' } });
  assert.deepEqual([part.status, part.headers.get('content-range')], [206, `bytes 100-199/${layer.length}`]);
  assert.deepEqual(await bodyOf(part), layer.subarray(100, 200));
  const named = await daemon.get(`/v2/${registry}/team/app/manifests/v1`);
  assert.deepEqual(await bodyOf(named), image.manifest);
  // The repository is known now, so a request without the registry finds it.
  assert.deepEqual(await bodyOf(daemon.get('/v2/team/app/manifests/v1')), image.manifest);
});

test('failures of the registry get a status and a code', async (t) => {
  const { upstream, daemon } = await start(t);
  const unknown = digestOf(Buffer.from('unknown'));
  assert.deepEqual(await errorOf(await daemon.manifest('team/app', 'v9')), [404, 'MANIFEST_UNKNOWN']);
  assert.deepEqual(await errorOf(await daemon.blob('team/app', unknown)), [404, 'BLOB_UNKNOWN']);
  assert.deepEqual(await errorOf(await daemon.get('/v2/other/manifests/v1')), [400, 'NAME_UNKNOWN']);
  upstream.authorization = 'Basic dTpw';
  assert.deepEqual(await errorOf(await daemon.manifest('team/app', 'v1')), [403, 'DENIED']);
  await upstream.stop();
  assert.deepEqual(await errorOf(await daemon.manifest('team/app', 'v1')), [502, 'UNKNOWN']);
  assert.deepEqual(await errorOf(await daemon.blob('team/app', digest)), [502, 'UNKNOWN']);
});

test('a registry that sends other content than was asked for is a bad gateway, and no fault of registryd', async (t) => {
  const { upstream, daemon } = await start(t);
  upstream.addManifest('team/app', 'text', Buffer.from('no manifest'));
  upstream.addManifest('team/app', 'huge', Buffer.alloc(5 * 1024 * 1024, '{'));
  for (const tag of ['text', 'huge'])
    assert.deepEqual(await errorOf(await daemon.manifest('team/app', tag)), [502, 'UNKNOWN'], tag);
  const other = digestOf(Buffer.from('{}'));
  upstream.manifestHook = () => Buffer.from('{"schemaVersion":2}');
  assert.deepEqual(await errorOf(await daemon.manifest('team/app', other)), [502, 'UNKNOWN']);
  // The blob is so short that nothing of it is sent before its digest is known.
  const short = digestOf(Buffer.from('short'));
  upstream.addBlob(short, Buffer.from('other'));
  assert.deepEqual(await errorOf(await daemon.blob('team/app', short)), [502, 'UNKNOWN']);
  upstream.blobHook = (_request, response) => {
    response.writeHead(416).end();
    return true;
  };
  assert.deepEqual(await errorOf(await daemon.blob('team/app', digest)), [502, 'UNKNOWN']);
});

test('while the token service of a registry fails, stored tags are served and downloads are tried again', async (t) => {
  const { upstream, daemon, image } = await start(t);
  assert.equal((await daemon.manifest('team/app', 'v1')).status, 200);
  // registryd remembers neither that it has just asked, nor a token.
  await daemon.restart();
  for (const status of [503, 429, 500]) {
    upstream.tokenStatus = () => status;
    const before = upstream.requests.length;
    assert.deepEqual(await bodyOf(daemon.manifest('team/app', 'v1')), image.manifest);
    assert.deepEqual(upstream.requests.slice(before), ['GET /v2/team/app/manifests/v1', 'GET /token']);
  }
  for (const status of [400, 401, 403, 404]) {
    upstream.tokenStatus = () => status;
    assert.deepEqual(await errorOf(await daemon.manifest('team/app', 'v1')), [403, 'DENIED']);
  }
  let failures = 1;
  upstream.tokenStatus = () => (failures-- > 0 ? 503 : 200);
  assert.ok((await bodyOf(daemon.blob('team/app', digest))).equals(layer));
});

test('settings are adopted while registryd runs: credentials, mirrors, and folders of the node', async (t) => {
  const { upstream, daemon, image } = await start(t);
  upstream.authorization = `Basic ${Buffer.from('user:open sesame').toString('base64')}`;
  assert.equal((await daemon.manifest('team/app', 'v1')).status, 403);
  const host = new URL(upstream.url).host;
  const auth = { username: 'user', password: 'open sesame', auth: '', identityToken: '' };
  await daemon.configure({ auths: { [host]: auth } });
  assert.equal((await daemon.manifest('team/app', 'v1')).status, 200);
  assert.ok(!daemon.process().stdout().includes('open sesame'));

  const mirrors = (url: string) => ({
    '*': { endpoints: [{ endpoint: url, overridePath: false }], skipFallback: true },
  });
  await daemon.configure({ mirrors: mirrors(`http://127.0.0.1:${daemon.port()}`) });
  // registryd does not ask itself, and the registry itself does not exist.
  assert.equal((await daemon.get('/v2/a/manifests/v1?ns=127.0.0.1:1')).status, 502);

  const given = join(daemon.root, 'given');
  const files = {
    [manifestPath({ registry, repository: 'given', tag: 'v1' })]: image.manifest,
    [manifestPath({ registry, repository: 'given', digest: image.digest })]: image.manifest,
    [blobPath(digest)]: layer,
  };
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(given, path)), { recursive: true });
    writeFileSync(join(given, path), bytes);
  }
  await daemon.setRoots([join(daemon.root, 'missing'), given]);
  assert.deepEqual(await bodyOf(daemon.manifest('given', 'v1')), image.manifest);
  assert.ok((await bodyOf(daemon.blob('given', digest))).equals(layer));
  assert.ok(!existsSync(join(daemon.cacheFolder, blobPath(digest))));

  // The same folder as an OCI layout; one that is damaged does not keep registryd from its work.
  const [packed, broken] = [join(daemon.root, 'packed'), join(daemon.root, 'broken')];
  const signal = new AbortController().signal;
  await packLayout({ flat: given, folder: packed, platform: { os: 'linux', architecture: 'amd64' }, signal });
  mkdirSync(broken);
  for (const name of ['oci-layout', 'index.json']) writeFileSync(join(broken, name), '{');
  await daemon.setRoots([broken, packed]);
  assert.deepEqual(await bodyOf(daemon.manifest('given', 'v1')), image.manifest);
  assert.ok((await bodyOf(daemon.blob('given', digest))).equals(layer));
  const range = { headers: { range: 'bytes=5-1000000' } };
  assert.deepEqual(await bodyOf(daemon.blob('given', digest, range)), layer.subarray(5, 1_000_001));
  const { images } = await daemon.management.listImages({});
  assert.ok(images.some(({ name, root }) => name === `${registry}/given:v1` && root === packed));
  const status = await daemon.management.status({});
  assert.match(status.lastError, /index/);
  assert.ok((status.contents?.blobs ?? 0) >= 1);
});

test('a download goes on for some seconds after its last reader has left', async (t) => {
  const { upstream, daemon } = await start(t);
  const gate = Promise.withResolvers<void>();
  upstream.blobHook = (request, response, bytes) => {
    if (bytes.length < layer.length) return false;
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, 2_000_000));
    void gate.promise.then(() => response.end(bytes.subarray(2_000_000)));
    return !request.headers.range;
  };
  const left = new AbortController();
  const response = await daemon.blob('team/app', digest, { signal: left.signal });
  await response.body?.getReader().read();
  left.abort();
  const again = bodyOf(daemon.blob('team/app', digest));
  gate.resolve();
  assert.ok((await again).equals(layer));
  assert.equal(upstream.countOf(digest), 1);
  await eventually(() => existsSync(join(daemon.cacheFolder, blobPath(digest))), { what: 'stored blob' });
});

test('a node without an image cache has no open proxy on its loopback: nothing is served or asked before the settings enable it', async (t) => {
  const { upstream, daemon } = await start(t, { waitsForSettings: true });
  const refused = async () => {
    for (const get of [daemon.manifest('team/app', 'v1'), daemon.blob('team/app', digest)])
      assert.deepEqual(await errorOf(await get), [502, 'UNKNOWN']);
    await assert.rejects(
      Array.fromAsync(daemon.management.pull({ reference: `${registry}/team/app:v1` })),
      /image cache/,
    );
  };
  assert.equal((await daemon.get('/healthz')).status, 200);
  await refused();
  assert.deepEqual(upstream.requests, []);
  await daemon.publish();
  assert.ok((await bodyOf(daemon.blob('team/app', digest))).equals(layer));
  const asked = upstream.requests.length;
  await daemon.disable();
  await refused();
  assert.equal(upstream.requests.length, asked);
});
