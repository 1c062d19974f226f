import type { BlockMountStatusSpec, MountStatusSpec, VolumeStatusSpec } from '@nodewright/state/kinds';

export interface MountFacts {
  readonly mounts: readonly BlockMountStatusSpec[];
  /** By id. */
  readonly volumes: ReadonlyMap<string, VolumeStatusSpec>;
}

/**
 * The output of `get mounts`: volumes that are partitions or disks, with their mount points. Folders that
 * serve as volumes, as on nodes of processes and of containers, are not mounts. Source: Talos v1.14: COSI
 * resources, MountStatuses.
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
