import type { PlannedVolume, VolumeFacts, VolumePlan } from './plan/volume-plan.ts';
import type { WayBackEnd } from './plan/way-back.ts';

/** What the caller knows of a volume; the host observes the rest. */
export type GivenFacts = Pick<VolumeFacts, 'areDevicesKnown' | 'selection' | 'isParentMounted' | 'mount'>;

/** The disk and the folders of a node, as far as its volumes are on them. Calls may be repeated; the second time they change nothing. */
export interface VolumeHost {
  /** Volumes of this node are partitions. */
  readonly hasPartitions: boolean;
  /** The system disk has the partition with images. */
  readonly hasImageCache: boolean;
  /**
   * Observes, plans and acts until the plan has no steps: the volume is complete, or waits, or is refused.
   *
   * @returns the last plan
   * @throws Fault when the disk cannot be read or a step fails: the next call continues from there
   */
  settle(volume: PlannedVolume, given: GivenFacts): Promise<VolumePlan>;
  /**
   * The way back of a volume that nothing uses any more. `unmount` ends its mount, and `forget` what the node knows of its partition, too.
   *
   * @throws Fault when a step fails, such as an unmount while a program uses the volume
   */
  leave(id: string, end: WayBackEnd): Promise<void>;
}
