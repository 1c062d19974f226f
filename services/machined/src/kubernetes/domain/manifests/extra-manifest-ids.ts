import type { ExtraManifest } from '@nodewright/state/kinds';

/** How many manifests of the user a control plane applies. */
export const maxExtraManifests = 256;

export interface ExtraManifestIds {
  /** Manifests by id, `<priority>-<name>`, in the order of the configuration. A name that occurs again gets a number. */
  readonly wanted: ReadonlyMap<string, ExtraManifest>;
  /** How many manifests are more than the limit. */
  readonly excess: number;
}

export function extraManifestIds(all: readonly ExtraManifest[]): ExtraManifestIds {
  const wanted = new Map<string, ExtraManifest>();
  for (const manifest of all.slice(0, maxExtraManifests)) {
    const id = `${manifest.priority}-${manifest.name}`;
    let free = id;
    for (let number = 2; wanted.has(free); number += 1) free = `${id}-${number}`;
    wanted.set(free, manifest);
  }
  return { wanted, excess: Math.max(0, all.length - maxExtraManifests) };
}
