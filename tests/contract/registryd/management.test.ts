import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { digestOf } from '@nodewright/oci';
import { blobPath } from '@nodewright/oci/cache';
import { spawnDaemon } from '@nodewright/testkit';
import { Status } from 'nice-grpc';
import { type RegistrydInit, registry, startRegistryd } from './harness.ts';
import { startUpstream } from './upstream.ts';

const megabyte = 1_000_000;

async function start(t: TestContext, init: Partial<RegistrydInit> = {}) {
  const upstream = await startUpstream();
  t.after(() => upstream[Symbol.asyncDispose]());
  const shared = randomBytes(megabyte);
  const images = ['v1', 'v2', 'v3'].map((tag) =>
    upstream.addImage('team/app', tag, [shared, randomBytes(megabyte)]),
  );
  const daemon = await startRegistryd({ mirror: upstream.url, ...init });
  t.after(() => daemon[Symbol.asyncDispose]());
  const pull = (tag: string) =>
    Array.fromAsync(daemon.management.pull({ reference: `registry.example/team/app:${tag}` }));
  const names = async () => (await daemon.management.listImages({})).images.map(({ name }) => name);
  return { upstream, shared, images, daemon, pull, names };
}

test('pull reports the progress and the digest, and fetches shared content once', async (t) => {
  const { upstream, shared, images, daemon, pull } = await start(t);
  const steps = await pull('v1');
  assert.equal(steps.at(-1)?.digest, images[0]?.digest);
  const whole = steps.at(-2);
  assert.equal(whole?.bytes, whole?.totalBytes);
  assert.ok(Number(whole?.totalBytes) > 2 * megabyte);
  await pull('v2');
  assert.equal(upstream.countOf(digestOf(shared)), 1);
  const { images: found } = await daemon.management.listImages({});
  assert.deepEqual(
    found.map(({ name, digest, root, inUse }) => [name, digest, root, inUse]),
    ['v1', 'v2'].map((tag, index) => [
      ...[`registry.example/team/app:${tag}`, images[index]?.digest, daemon.cacheFolder, false],
    ]),
  );
  const status = await daemon.management.status({});
  assert.equal(status.listenAddress, `127.0.0.1:${daemon.port()}`);
  assert.ok(Number(status.downloadedBytes) > 3 * megabyte && status.usedBytes >= status.downloadedBytes);
});

test('pull compares what is stored with its digest and size, and downloads what is damaged again', async (t) => {
  const { upstream, shared, images, daemon, pull } = await start(t);
  await pull('v1');
  const digest = digestOf(shared);
  const path = join(daemon.cacheFolder, blobPath(digest));
  const changed = Buffer.from(shared);
  changed[7] = (changed[7] ?? 0) ^ 1;
  for (const damaged of [changed, shared.subarray(0, 10), Buffer.alloc(0)]) {
    writeFileSync(path, damaged);
    const steps = await pull('v1');
    assert.equal(steps.at(-1)?.digest, images[0]?.digest);
    assert.equal(steps.at(-2)?.bytes, steps.at(-2)?.totalBytes);
    assert.ok(readFileSync(path).equals(shared));
  }
  writeFileSync(path, changed);
  upstream.blobHook = (_request, response) => response.writeHead(404).end() !== undefined;
  await assert.rejects(pull('v1'), { message: /HTTP 404/ });
  upstream.blobHook = undefined;

  const manifest = JSON.parse(String(images[1]?.manifest));
  manifest.layers[1].size += 1;
  upstream.addManifest('team/app', 'v4', Buffer.from(JSON.stringify(manifest)));
  for (const which of ['downloaded', 'stored'])
    await assert.rejects(pull('v4'), { message: /has 1000000 bytes, and not 1000001/ }, which);
});

test('a pull that fails says why, and so does a wrong name', async (t) => {
  const { daemon, pull } = await start(t);
  await assert.rejects(pull('v9'), { message: /refuses registry.example\/team\/app:v9: HTTP 404, not here/ });
  await assert.rejects(pull('..'), { message: /is not an image reference/ });
  const odd = daemon.management.pull({ reference: 'registry.example/team/app:v1', platform: 'amd64' });
  await assert.rejects(Array.fromAsync(odd), { message: /"amd64" is not a platform/ });
});

test('remove leaves what others share, and refuses what the node uses', async (t) => {
  const { shared, images, daemon, pull, names } = await start(t);
  for (const tag of ['v1', 'v2']) await pull(tag);
  await daemon.setEtcdImage('registry.example/team/app:v2');
  await assert.rejects(daemon.management.removeImage({ reference: 'registry.example/team/app:v2' }), {
    message: /is in use/,
  });
  const { freedBytes } = await daemon.management.removeImage({ reference: 'registry.example/team/app:v1' });
  assert.ok(Number(freedBytes) > megabyte && Number(freedBytes) < 1.1 * megabyte, String(freedBytes));
  assert.deepEqual(await names(), ['registry.example/team/app:v2']);
  const blobs = readdirSync(join(daemon.cacheFolder, 'blob'));
  const kept = [...(images[1]?.blobs ?? [])].map(({ digest }) => digest.replace(':', '-'));
  assert.deepEqual(blobs.sort(), kept.sort());
  assert.ok(blobs.includes(digestOf(shared).replace(':', '-')));
  await assert.rejects(daemon.management.removeImage({ reference: 'registry.example/team/app:v1' }), {
    message: /there is no image/,
  });
});

test('a collection keeps the cache below its limit, and what the node uses', async (t) => {
  const { daemon, pull, names } = await start(t, { maxMegabytes: 3 });
  for (const tag of ['v1', 'v2']) await pull(tag);
  const makeOld = () => {
    const entries = readdirSync(daemon.cacheFolder, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile()))
      utimesSync(join(entry.parentPath, entry.name), 1, 1);
  };
  assert.equal((await daemon.management.collect({})).removedFiles, 0);
  makeOld();
  await daemon.setEtcdImage('registry.example/team/app:v1');
  // There is no room for a third image, so the one that is not used makes room.
  await pull('v3');
  assert.deepEqual(
    await names(),
    ['v1', 'v3'].map((tag) => `registry.example/team/app:${tag}`),
  );
});

test('the status tells what is cached, how each endpoint answered, and the last collection', async (t) => {
  const { upstream, daemon, pull } = await start(t);
  const { host } = new URL(upstream.url);
  const away = 'http://user:open-sesame@127.0.0.1:1';
  await daemon.configure({
    mirrors: {
      [registry]: {
        endpoints: [away, upstream.url].map((endpoint) => ({ endpoint, overridePath: false })),
        skipFallback: true,
      },
      '*': { endpoints: [{ endpoint: upstream.url, overridePath: false }], skipFallback: false },
    },
    auths: { [host]: { username: 'user', password: 'open-sesame', auth: '', identityToken: '' } },
    tls: { [host]: { ca: '', clientIdentity: undefined, insecureSkipVerify: true } },
  });
  const before = await daemon.management.status({});
  assert.deepEqual(before.contents, { images: 0, blobs: 0, blobBytes: 0n });
  assert.equal(before.lastCollection, undefined);
  await pull('v1');
  await pull('v2');
  await assert.rejects(pull('v9'));
  await daemon.management.collect({});
  const { contents, lastCollection, upstreams } = await daemon.management.status({});
  // Each image has a layer and a configuration of its own, and one layer is shared.
  assert.deepEqual([contents?.images, contents?.blobs], [2, 4]);
  assert.ok(Math.abs(Number(lastCollection?.time) - Date.now() / 1000) < 60);
  assert.deepEqual(
    upstreams.map(({ registry: name, endpoints }) => [name, endpoints.map(({ url }) => url)]),
    [
      ['*', [upstream.url]],
      [registry, ['http://127.0.0.1:1/', upstream.url]],
    ],
  );
  const [first, second] = upstreams[1]?.endpoints ?? [];
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(first.failures, first.requests);
  assert.match(first.lastError, /the registry 127\.0\.0\.1:1 does not answer/);
  assert.deepEqual([first.lastAnswer, first.hasCredentials, first.isMirror], [0n, false, true]);
  // An image that a registry does not have is no failure of the registry.
  assert.deepEqual([second.failures, second.lastError, second.lastErrorTime], [0n, '', 0n]);
  assert.ok(second.requests > 4n && second.lastAnswer > 0n);
  assert.deepEqual([second.hasCredentials, second.skipsVerification], [true, true]);
  const said = JSON.stringify(upstreams, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  assert.ok(!said.includes('open-sesame') && !daemon.process().stdout().includes('open-sesame'));
});

test('a request that no client needs to make is refused, and others are answered', async (t) => {
  const { daemon } = await start(t);
  const long = daemon.management.removeImage({ reference: 'a'.repeat(100_000) });
  await assert.rejects(long, { code: Status.RESOURCE_EXHAUSTED });
  assert.equal((await daemon.management.status({})).usedBytes, 0n);
});

test('registryd listens on loopback addresses only, and has no child process', async (t) => {
  const { daemon } = await start(t);
  const { pid } = daemon.process();
  assert.equal(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), '');
  const refused = await spawnDaemon({
    name: 'registryd',
    args: ['--listen-address', ':3172', '--cache-folder', join(daemon.root, 'other')],
  });
  assert.equal((await refused.exited).code, 1);
  assert.match(refused.stdout(), /registryd listens on loopback addresses only/);
});

test('only its user reaches the socket, unless it shares it with its group, whatever mode its folder was left with', async (t) => {
  const modes = async (...args: string[]) => {
    const { daemon } = await start(t, { args });
    const folder = dirname(daemon.socket);
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    const found: string[] = [];
    // A daemon that is killed before it listens leaves the first one.
    for (const left of [0o700, 0o770]) {
      chmodSync(folder, left);
      await daemon.restart('SIGKILL');
      found.push(mode(folder), mode(daemon.socket));
    }
    return found;
  };
  assert.deepEqual(await modes(), ['700', '600', '700', '600']);
  assert.deepEqual(await modes('--shares-socket'), ['750', '660', '750', '660']);
});
