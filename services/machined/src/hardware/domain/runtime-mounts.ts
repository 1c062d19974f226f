import type { BlockMountStatusSpec, MountStatusSpec, VolumeStatusSpec } from '@nodewright/state/kinds';

export interface MountFacts {
  readonly mounts: readonly BlockMountStatusSpec[];
  /** By id. */
  readonly volumes: ReadonlyMap<string, VolumeStatusSpec>;
}

/**
 * What `get mounts` shows: the volumes that are partitions or disks, where they are mounted. Folders that stand for a
 * volume, as on nodes of processes and of containers, are no mounts. Source: Talos v1.14: COSI resources, MountStatuses.
 */
export function runtimeMounts({
  mounts,
  volumes,
}: MountFacts): { readonly id: string; readonly spec: MountStatusSpec }[] {
  const shown = new Map<string, MountStatusSpec>();
  for (const { spec, source, target, filesystem, encryptionProvider, detached } of mounts) {
    const volume = volumes.get(spec.volumeID);
    if (detached || (volume?.type !== 'partition' && volume?.type !== 'disk')) continue;
    shown.set(spec.volumeID, {
      source,
      target,
      filesystemType: filesystem,
      options: [],
      encrypted: encryptionProvider !== 'none',
      encryptionProviders: encryptionProvider === 'none' ? [] : [...volume.configuredEncryptionKeys],
    });
  }
  return [...shown].map(([id, spec]) => ({ id, spec }));
}
