import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeImages } from '@nodewright/build';
import { buildInfo } from '@nodewright/contract';
import type { LockedTools } from '../debian/locked-tools.ts';
import { cachedEtcd, etcdImageCache } from '../image/cached-etcd.ts';
import { ociImage } from '../image/oci-image.ts';
import { bundlesOf, commitTime, tagOf, type Workshop } from '../workshop.ts';
import { imageArchive } from './image-archive.ts';
import { kubernetesLayer } from './kubernetes-layer.ts';
import { cacheLayer, containerLayer, nodeImageConfig, rootLayer } from './node-image.ts';

export interface PackNodeImageInit {
  readonly workshop: Workshop;
  readonly tools: LockedTools;
  /** The folder with the root file system. */
  readonly root: string;
  readonly hasKubernetes: boolean;
  readonly note: (line: string) => void;
}

export interface PackedNodeImage {
  /** In pieces. */
  readonly archive: readonly Buffer[];
  readonly manifestDigest: string;
}

/**
 * Packs a root file system as the image of a node in one container.
 *
 * @throws Error with one line that says what is missing and what to do
 */
export async function packNodeImage(init: PackNodeImageInit): Promise<PackedNodeImage> {
  const { workshop, tools, root, hasKubernetes, note } = init;
  const { checkout, architecture } = workshop;
  const probe = readFileSync(join(bundlesOf(workshop), 'health-probe/health-probe.cjs'));
  const given = { architecture, epochSeconds: commitTime(checkout) };
  const cache = cacheLayer(etcdImageCache({ ...given, checkout, note }));
  // The images of Kubernetes are the top layer, so that an engine that has the other image loads nothing twice.
  const more = hasKubernetes
    ? [await kubernetesLayer({ workshop, tools, epochSeconds: given.epochSeconds, note })]
    : [];
  const { sha } = buildInfo;
  const image = ociImage({
    ...given,
    layers: [rootLayer(root), cache, containerLayer(probe), ...more],
    config: nodeImageConfig({
      ...{ tag: tagOf(workshop), sha, etcdImage: cachedEtcd, hasKubelet: hasKubernetes },
    }),
  });
  const { name } = hasKubernetes ? nodeImages.kubernetes : nodeImages.plain;
  return { archive: imageArchive(name, image), manifestDigest: image.manifest.digest };
}
