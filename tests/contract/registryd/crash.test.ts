// Kill -9 at any moment leaves nothing that is not whole, and the next start continues.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { digestOf } from '@nodewright/oci';
import { blobPath, digestFromFile } from '@nodewright/oci/cache';
import { eventually } from '@nodewright/testkit';
import { startRegistryd } from './harness.ts';
import { startUpstream } from './upstream.ts';

const bodyOf = async (response: Response | Promise<Response>) =>
  Buffer.from(await (await response).arrayBuffer());

/** Every visible file has the content that its name promises. */
function assertWhole(cacheFolder: string): void {
  const entries = readdirSync(cacheFolder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if (path.includes('/unfinished/')) continue;
    const bytes = readFileSync(path);
    if (path.includes('/reference/'))
      assert.ok(existsSync(join(entry.parentPath, '..', 'digest', digestOf(bytes).replace(':', '-'))), path);
    else assert.equal(digestOf(bytes), digestFromFile(entry.name), path);
  }
}

test('a pull that was killed is continued by the next process', async () => {
  await using upstream = await startUpstream();
  const layer = randomBytes(4_000_000);
  const image = upstream.addImage('team/app', 'v1', [layer]);
  await using daemon = await startRegistryd({ mirror: upstream.url });
  upstream.blobHook = (_request, response, bytes) => {
    if (bytes.length < layer.length) return false;
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, 2_500_000));
    return true;
  };
  const digest = digestOf(layer);
  assert.equal((await daemon.manifest('team/app', 'v1')).status, 200);
  const broken = bodyOf(daemon.blob('team/app', digest));
  broken.catch(() => {});
  const unfinished = join(daemon.cacheFolder, 'unfinished', digest.replace(':', '-'));
  await eventually(() => statSync(unfinished).size >= 2_000_000, { what: 'beginning of the blob' });
  const { size } = statSync(unfinished);
  await daemon.restart('SIGKILL');
  await assert.rejects(broken);
  assertWhole(daemon.cacheFolder);
  assert.ok(!existsSync(join(daemon.cacheFolder, blobPath(digest))));

  upstream.blobHook = undefined;
  assert.ok((await bodyOf(daemon.blob('team/app', digest))).equals(layer));
  assert.ok(upstream.requests.includes(`GET /v2/team/app/blobs/${digest} bytes=${size}-`));
  assert.deepEqual(await bodyOf(daemon.manifest('team/app', image.digest)), image.manifest);
  assertWhole(daemon.cacheFolder);
});

test('kills at random moments of pulls and collections leave a whole cache', {
  timeout: 120_000,
}, async () => {
  await using upstream = await startUpstream();
  const images = Array.from({ length: 12 }, (_, index) => {
    const layers = [randomBytes(200_000), randomBytes(400_000)];
    return { tag: `v${index}`, ...upstream.addImage('team/app', `v${index}`, layers) };
  });
  await using daemon = await startRegistryd({ mirror: upstream.url, maxMegabytes: 3 });
  const pullAll = () =>
    Promise.allSettled(
      images.map(async ({ tag }) => {
        for await (const _ of daemon.management.pull({ reference: `registry.example/team/app:${tag}` }));
      }),
    );
  const makeOld = () => {
    const entries = readdirSync(daemon.cacheFolder, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile()))
      utimesSync(join(entry.parentPath, entry.name), 1, 1);
  };
  for (let round = 0; round < 5; round += 1) {
    const pulling = pullAll();
    await new Promise((resolve) => setTimeout(resolve, 30 + 60 * round));
    await daemon.restart('SIGKILL');
    await pulling;
    assertWhole(daemon.cacheFolder);
    makeOld();
    const collecting = daemon.management.collect({}).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 2 * round));
    await daemon.restart('SIGKILL');
    await collecting;
    assertWhole(daemon.cacheFolder);
  }
  makeOld();
  await daemon.management.collect({});
  const status = await daemon.management.status({});
  assert.ok(status.usedBytes <= status.limitBytes, `${status.usedBytes} of ${status.limitBytes}`);
  assertWhole(daemon.cacheFolder);
  for (const { tag, manifest, blobs } of images.slice(0, 3)) {
    assert.deepEqual(await bodyOf(daemon.manifest('team/app', tag)), manifest);
    for (const { digest, bytes } of blobs)
      assert.ok((await bodyOf(daemon.blob('team/app', digest))).equals(bytes));
  }
});
