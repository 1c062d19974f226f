import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { digestOf, type ImageReference } from '@nodewright/oci';
import { manifestPath, VerifiedFiles } from '@nodewright/oci/cache';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { openCacheStore } from './cache-store.ts';
import { noSettings } from './node-settings.ts';
import { openRegistry } from './registry.ts';

/** A registry whose cache of one byte has these images, which were not used for long. */
async function openWith(t: TestContext, images: readonly ImageReference[]) {
  const cacheFolder = mkdtempSync(join(tmpdir(), 'registry-'));
  const store = await openCacheStore(cacheFolder, new VerifiedFiles());
  const manifest = Buffer.from('{"schemaVersion":2}');
  for (const image of images) await store.storeManifest(image, digestOf(manifest), manifest);
  const files = readdirSync(cacheFolder, { recursive: true, withFileTypes: true });
  for (const file of files) utimesSync(join(file.parentPath, file.name), 1, 1);
  const scope = new AsyncDisposableStack();
  t.after(async () => {
    await scope.disposeAsync();
    rmSync(cacheFolder, { recursive: true });
  });
  const registry = await openRegistry(
    {
      ...{ cacheFolder, limitBytes: 1, own: () => ({ host: '127.0.0.1', port: 2 }), telemetry: noTelemetry },
      log: createLogger({ name: 'registryd', telemetry: noTelemetry, level: 'silent' }),
      signal: new AbortController().signal,
    },
    scope,
  );
  return {
    registry,
    isStored: (image: ImageReference) => existsSync(join(cacheFolder, manifestPath(image))),
  };
}

test('a collection removes no image before the node has said which images it uses', async (t) => {
  const image = { registry: 'registry.example', repository: 'etcd', tag: 'v3' };
  const { registry, isStored } = await openWith(t, [image]);
  await registry.collector.collect();
  assert.ok(isStored(image));
  registry.adopt({ ...noSettings, usedImages: [image] });
  await registry.collector.collect();
  assert.ok(isStored(image));
  registry.adopt(noSettings);
  await registry.collector.collect();
  assert.ok(!isStored(image));
});

test('nothing is served or asked for before the first settings, nor while they do not enable the cache', async (t) => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const registryHost = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const image = { registry: registryHost, repository: 'team/app', tag: 'v1' };
  const digest = digestOf(Buffer.from('{"schemaVersion":2}'));
  const { registry } = await openWith(t, [image]);
  const { signal } = new AbortController();
  const manifest = { kind: 'manifest', registry: registryHost, repository: 'team/app', which: 'v1' } as const;
  const blob = { kind: 'blob', registry: registryHost, repository: 'team/app', which: digest } as const;
  const calls = () => [
    registry.source.manifest(manifest),
    registry.source.manifest({ ...manifest, which: digest }),
    registry.source.manifest({ ...manifest, registry: undefined }),
    registry.source.blob(blob, signal),
    registry.source.blobSize(blob, signal),
    registry.source.resolve(image),
    registry.source.openDownload(image, digest, signal),
  ];
  const refusals = async () =>
    (await Promise.allSettled(calls())).map((result) =>
      result.status === 'fulfilled' ? 'served' : `${result.reason.kind}: ${result.reason.message}`,
    );
  const unknown = 'unavailable: the node has not said yet whether it has an image cache';
  assert.deepEqual(await refusals(), Array(7).fill(unknown));
  registry.adopt({ ...noSettings, isEnabled: false });
  const disabled = 'unavailable: the configuration of the node does not enable the image cache';
  assert.deepEqual(await refusals(), Array(7).fill(disabled));
  assert.equal(requests, 0);
  registry.adopt({ ...noSettings, isEnabled: true });
  assert.equal((await registry.source.manifest({ ...manifest, which: digest })).digest, digest);
  registry.adopt({ ...noSettings, isEnabled: false });
  assert.deepEqual(await refusals(), Array(7).fill(disabled));
});

test('a manifest that one of several registries lacks is not missing while another one is unreachable', async (t) => {
  const server = createServer((_request, response) => response.writeHead(404).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const images = ['127.0.0.1:1', own].map((registry) => ({ registry, repository: 'team/app', tag: 'v1' }));
  const { registry } = await openWith(t, images);
  registry.adopt({ ...noSettings, isEnabled: true });
  const target = { kind: 'manifest', registry: undefined, repository: 'team/app', which: 'v9' } as const;
  await assert.rejects(registry.source.manifest(target), { kind: 'unavailable' });
  await assert.rejects(registry.source.manifest({ ...target, registry: own }), { kind: 'not-found' });
});
