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
  const target = { kind: 'manifest', registry: undefined, repository: 'team/app', which: 'v9' } as const;
  await assert.rejects(registry.source.manifest(target), { kind: 'unavailable' });
  await assert.rejects(registry.source.manifest({ ...target, registry: own }), { kind: 'not-found' });
});
