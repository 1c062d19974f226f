import { readFileSync } from 'node:fs';
import type { TarItem } from '@nodewright/build/archives';
import { buildEtcd, etcdVersion } from '@nodewright/build/etcd';
import { cachedFiles } from './cached-files.ts';
import { ociImage } from './oci-image.ts';

/** The image of etcd that machines and the node image bring along, under the name of the public one of the same version. */
export const cachedEtcd = `registry.k8s.io/etcd:v${etcdVersion}`;

export interface CachedEtcdInit {
  readonly checkout: string;
  readonly architecture: string;
  /** Time of every file in the image, Unix time. */
  readonly epochSeconds: number;
  /** Reports a build, which takes minutes. */
  readonly note: (line: string) => void;
}

/**
 * An image cache with the image of etcd, so that a control plane needs no registry: the content of each file by its path. The
 * programs are built from Go modules even where the release archive can be had: its bytes are others.
 *
 * @throws Error when etcd cannot be built
 */
export function etcdImageCache(init: CachedEtcdInit): Readonly<Record<string, Buffer>> {
  const programs = Object.entries(buildEtcd(init.checkout, init.note)).map(
    ([name, path]): TarItem => ({
      name: `usr/local/bin/${name}`,
      mode: 0o755,
      content: { kind: 'file', data: [readFileSync(path)] },
    }),
  );
  const image = ociImage({
    ...init,
    compression: 'zstd',
    layers: [programs],
    config: { Cmd: ['/usr/local/bin/etcd'], Env: ['PATH=/usr/local/bin'] },
  });
  return cachedFiles(cachedEtcd, image);
}
