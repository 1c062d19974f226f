import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TarItem } from '@nodewright/build/archives';
import { buildCaches, ensureProgram, type GoProgram, goRelease } from '@nodewright/build/go';
import { type BuildKubernetesImagesInit, kubernetesImageCache } from '../kubernetes/build-images.ts';
import { cacheLayer } from './node-image.ts';

/** The runc of nodes on hosts whose control groups are of version 1. It has no module but Go's own library. */
const runcUnlimited: GoProgram = {
  name: 'runc-unlimited',
  version: 'v1',
  files: ['go.mod', 'go.sum', 'main.go'],
  flags: ['-trimpath', '-buildvcs=false', '-ldflags', '-s -w -buildid='],
  package: '.',
  toolchain: goRelease,
  // Any Go from there on can fetch that release.
  leastGoMinor: 21,
};

/**
 * The layer with what only nodes with Kubernetes have: its images, and a runc without limits.
 *
 * @throws Error with one line that says what is missing and what to do
 */
export async function kubernetesLayer(init: BuildKubernetesImagesInit): Promise<TarItem[]> {
  const { workshop, note } = init;
  const { path } = ensureProgram({
    program: runcUnlimited,
    wrapper: join(import.meta.dirname, runcUnlimited.name),
    caches: buildCaches(workshop.checkout, process.env),
    environment: process.env,
    note,
  });
  return [
    {
      name: `usr/bin/${runcUnlimited.name}`,
      mode: 0o755,
      content: { kind: 'file', data: [readFileSync(path)] },
    },
    ...cacheLayer(await kubernetesImageCache(init)),
  ];
}
