import type { PlannedVolume, VolumeFacts, VolumePlan } from './plan/volume-plan.ts';

/** What the caller knows of a volume; the host observes the rest. */
export type GivenFacts = Pick<
  VolumeFacts,
  'isWanted' | 'areDevicesKnown' | 'selection' | 'isParentMounted' | 'mount' | 'holders'
>;

/** The disks and folders of a node, as far as its volumes are on them. */
export interface VolumeHost {
  /** Volumes of this node are partitions. */
  readonly hasPartitions: boolean;
  /** The system disk has the partition with images. */
  readonly hasImageCache: boolean;
  /**
   * Observes, plans and acts until the plan has no steps: the volume is complete, or waits, or is refused. May be repeated; the second
   * time it changes nothing.
   *
   * @returns the last plan
   * @throws Fault when a disk cannot be read or a step fails: the next call continues from there
   */
  settle(volume: PlannedVolume, given: GivenFacts): Promise<VolumePlan>;
}
