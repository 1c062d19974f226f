import type { PartitionWish } from './change-partitions.ts';

/** A partition that was found or created. */
export interface PreparedVolume {
  /** `/dev/vda5`. */
  readonly device: string;
  readonly disk: string;
  readonly number: number;
  readonly guid: string;
  readonly sizeBytes: number;
  /** Undefined for a partition without a file system, such as META. */
  readonly contents: { readonly uuid: string } | undefined;
}

export interface PartitionMountOptions {
  readonly target: string;
  /** `MS_*` of mount(2). */
  readonly flags: number;
  /** Options of the file system, with commas. */
  readonly options: string;
  /** Mode of the folder of the mounted volume. */
  readonly mode: number;
}

/** A folder of the root to which changes are added. */
export interface OverlayFolders {
  readonly target: string;
  /** Holds what was changed. */
  readonly changes: string;
  /** For the kernel alone, in the same file system as the changes. */
  readonly work: string;
}

/** The partitions of the system disk. All calls may be repeated; the second time they change nothing. */
export interface VolumePartitions {
  /** The disk has the partition IMAGECACHE. */
  readonly hasImageCache: boolean;
  /** Whether the partition of a volume is complete, so that `prepare` creates none. @throws Fault */
  exists(id: string, wish: PartitionWish): Promise<boolean>;
  /** Finds the partition of a volume, or creates, formats and grows it. @throws Fault */
  prepare(id: string, wish: PartitionWish): Promise<PreparedVolume>;
  /** Mounts a prepared volume. @throws Fault */
  mount(id: string, mount: PartitionMountOptions): Promise<void>;
  /** Mounts an overlay whose folders exist. @throws SystemCallError */
  mountOverlay(folders: OverlayFolders): Promise<void>;
}
