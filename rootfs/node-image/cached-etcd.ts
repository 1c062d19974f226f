import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { blobPath, manifestPath } from '@nodewright/containers/image-cache';
import { parseImageReference } from '@nodewright/oci';
import { ensureEtcd } from '../../tools/etcd/ensure-etcd.ts';
import { etcdPrograms, etcdVersion } from '../../tools/etcd/etcd-release.ts';
import type { TarItem } from '../../tools/images/tar.ts';
import { ociImage } from './oci-image.ts';

/** The image of etcd in the node image, under the name of the public one of the same version. */
export const cachedEtcd = `registry.k8s.io/etcd:v${etcdVersion}`;
/** One of the folders in which machined looks for images. */
const cacheFolder = 'usr/lib/nodewright/imagecache';

/**
 * The layer with the image of etcd, so that a control plane needs no registry.
 *
 * @throws Error when etcd can be neither fetched nor built
 */
export async function etcdLayer(init: {
  readonly checkout: string;
  readonly architecture: string;
  readonly epochSeconds: number;
}): Promise<TarItem[]> {
  const { etcd } = await ensureEtcd(init.checkout);
  const programs = etcdPrograms.map((name): TarItem => {
    const data = [readFileSync(join(dirname(etcd), name))];
    return { name: `usr/local/bin/${name}`, mode: 0o755, content: { kind: 'file', data } };
  });
  const { manifest, config, layers } = ociImage({
    ...init,
    layers: [programs],
    config: { Cmd: ['/usr/local/bin/etcd'], Env: ['PATH=/usr/local/bin'] },
  });
  const reference = parseImageReference(cachedEtcd);
  const { registry, repository } = reference;
  const file = (path: string, content: Buffer): TarItem => ({
    name: `${cacheFolder}/${path}`,
    content: { kind: 'file', data: [content] },
  });
  return [
    file(manifestPath(reference), manifest.content),
    file(manifestPath({ registry, repository, digest: manifest.digest }), manifest.content),
    ...[config, ...layers].map(({ digest, content }) => file(blobPath(digest), content)),
  ];
}
