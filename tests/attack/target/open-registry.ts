// The image cache of a node that is attacked: images on its disk, and a registry that lies.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodePaths, ports } from '@nodewright/contract';
import { digestOf, mediaTypes } from '@nodewright/oci';
import { blobPath, manifestPath } from '@nodewright/oci/cache';
import { eventually } from '@nodewright/testkit';
import type { ProcessCluster, ProcessNode } from '../../cluster/process/process-cluster.ts';
import { startUpstream } from '../../contract/registryd/upstream.ts';
import type { RegistryTarget } from './attack-target.ts';

const blobBytes = 8_000_000;
const repository = 'team/app';
const registry = 'registry.example';

/** Enables the image cache of a node. The registry behind it sends other content than its digests promise. */
export async function openRegistry(
  cluster: ProcessCluster,
  node: ProcessNode,
  scope: AsyncDisposableStack,
): Promise<RegistryTarget> {
  const upstream = scope.use(await startUpstream());
  const image = upstream.addImage(repository, 'wrong', [randomBytes(200_000)]);
  upstream.blobHook = (_request, response, bytes) => {
    response.writeHead(200, { 'content-length': bytes.length }).end(Buffer.alloc(bytes.length));
    return true;
  };
  const blob = randomBytes(blobBytes);
  const manifest = Buffer.from(
    JSON.stringify({
      ...{ schemaVersion: 2, mediaType: mediaTypes.manifest },
      layers: [{ mediaType: mediaTypes.layer, digest: digestOf(blob), size: blob.length }],
    }),
  );
  const named = { registry, repository };
  const files = new Map([
    [manifestPath({ ...named, tag: 'v1' }), manifest],
    [manifestPath({ ...named, digest: digestOf(manifest) }), manifest],
    [blobPath(digestOf(blob)), blob],
  ]);
  for (const [path, bytes] of files) {
    const file = join(node.root, 'system/imagecache/disk', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  for (const document of [
    { kind: 'RegistryMirrorConfig', name: registry, endpoints: [{ url: upstream.url }], skipFallback: true },
    { kind: 'ImageCacheConfig', local: { enabled: true } },
  ]) {
    const patch = JSON.stringify({ apiVersion: 'v1alpha1', ...document });
    const words = ['patch', 'mc', '--mode', 'no-reboot', '--patch', patch];
    const { exitCode, stderr } = await cluster.talosctl('-n', node.name, ...words);
    if (exitCode !== 0) throw new Error(`the image cache cannot be enabled: ${stderr}`);
  }
  const url = `http://${node.address}:${ports.registryd}/v2/${repository}/manifests/v1?ns=${registry}`;
  await eventually(async () => (await fetch(url)).status === 200, { what: 'the image cache' });
  return {
    ...{ address: node.address, socket: join(node.root, nodePaths.registrydSocket), repository, registry },
    ...{ blob: digestOf(blob), bytes: blob.length, cache: join(node.root, nodePaths.registrydCache) },
    wrongBlob: image.blobs.at(-1)?.digest ?? '',
  };
}
