// What a plan for a volume is made of. Each phase has a file beside this one, and planVolume() goes through them.
import type { DiskContents, Partition, PartitionTable } from '@nodewright/disk';
import type { FaultKind } from '@nodewright/fault';
import type { Selection } from '@nodewright/machine-config/selectors';
import type { PartitionWish } from '../change-partitions.ts';
import type { PartitionIdentity, RecordedPlace } from '../recorded-places.ts';

/**
 * The phases of a volume in their order: the way to its mount, and the way back. `unlock` is the place of encryption, and has no steps: no
 * volume is encrypted yet.
 */
export type VolumePhaseName =
  | 'locate'
  | 'wait'
  | 'provision'
  | 'unlock'
  | 'mount'
  | 'unmount'
  | 'close'
  | 'forget';

/** Volumes of a lower wave are provisioned first. Only those of the system exist yet. Source: Talos v1.14: volumes. */
export const volumeWaves = { system: -1, user: 0 } as const;

/** A volume that the configuration wants. */
export interface PlannedVolume {
  readonly id: string;
  /** Where it is mounted on the node: empty for one that is not mounted, undefined while its parent is unknown. */
  readonly path: string | undefined;
  /** Of its folder. */
  readonly mode: number;
  readonly isOverlay: boolean;
  /** Undefined for a folder and an overlay. */
  readonly partition: PlannedPartition | undefined;
}

export interface PlannedPartition {
  readonly wish: PartitionWish;
  readonly fileSystem: string;
  /** Selects the disk of a new partition. Empty: it is never created or changed, because the disk image brings it. */
  readonly selector: string;
}

/** The beginning of a partition: nothing but zeros, contents that are recognised, or others. */
export type PartitionContents = 'zeros' | 'unknown' | DiskContents;

/** A disk as it was read. */
export interface ObservedDisk {
  /** `/dev/vda`. */
  readonly path: string;
  /** Of 512 bytes. */
  readonly sectors: number;
  readonly table: PartitionTable;
  /** By number, of the partitions that may be the volume: on the system disk by their label, on others by their GUID. */
  readonly contents: ReadonlyMap<number, PartitionContents>;
}

/** Another disk than the system disk. Labels on it say nothing: it may be the disk of another machine. */
export interface OtherDisk {
  readonly path: string;
  readonly sectors: number;
  readonly isReadOnly: boolean;
  /** What the disk says it is, such as its WWID; empty when it does not. Two paths with the same are one disk. */
  readonly identity: string;
  readonly state:
    | ({
        readonly kind: 'table';
        /** Why the table takes no new partition, as a text that follows the path; undefined when it can. */
        readonly additionProblem: string | undefined;
      } & Pick<ObservedDisk, 'table' | 'contents'>)
    /** Nothing but zeros at both ends: a new partition table destroys nothing. */
    | { readonly kind: 'blank' }
    /** Without a partition table that can be used, and with something else. */
    | { readonly kind: 'foreign' }
    /** It cannot be read or used now. Nothing is known of what it holds. */
    | { readonly kind: 'unknown'; readonly problem: string };
}

/** A partition of a volume. */
export interface LocatedPartition {
  /** `/dev/vda5`. */
  readonly device: string;
  readonly disk: string;
  readonly number: number;
  readonly guid: string;
  readonly sizeBytes: number;
  /** Undefined without a file system, such as in META. */
  readonly contents: DiskContents | undefined;
}

/** What mount(2) is called with. */
export interface MountWish {
  /** `MS_*`. */
  readonly flags: number;
  /** Options of the file system, with commas. */
  readonly options: string;
}

/** What is known of the node when a volume is planned. */
export interface VolumeFacts {
  /** The system disk; undefined for a folder, and for a partition that is open. */
  readonly disk: ObservedDisk | undefined;
  /** The kernel has found all devices that were there at the start. */
  readonly areDevicesKnown: boolean;
  /** The paths of the disks that the selector selects; undefined until it was evaluated. */
  readonly selection: Selection | undefined;
  /** A reset has begun: nothing is created any more. */
  readonly isBeingReset: boolean;
  /** For a new partition. */
  readonly guid: string;
  /** For a new partition table. */
  readonly tableGuid: string;
  /** What META records of the volume: the partition on another disk that it is. `lost`: nobody knows whether it is on another disk. */
  readonly recorded: RecordedPlace | 'lost' | undefined;
  /** All other disks; undefined when this plan is about the system disk alone. */
  readonly others: readonly OtherDisk[] | undefined;
  /** The partition that the node uses for the volume since an earlier plan. It stays until the volume is closed. */
  readonly open: LocatedPartition | undefined;
  /** True also for a volume whose parent is no mount. */
  readonly isParentMounted: boolean;
  /** The sizes of the file systems of folders that exist, by path on the node. */
  readonly folders: ReadonlyMap<string, bigint>;
  /** The mount that the node has made for the volume. */
  readonly mounted: MadeMount | undefined;
  /** The partition could not grow in this run of the node: the volume is used as it is. */
  readonly cannotGrow: boolean;
  /** How requests want it mounted; undefined when this plan is not about its mount. */
  readonly mount: MountWish | undefined;
}

export interface MadeMount {
  readonly target: string;
  /** The steps that follow the mount were carried out, too. */
  readonly isFinished: boolean;
}

/** One change of the node. Each kind belongs to one phase. */
export type VolumeStep =
  /** META records where the volume is, or that it is on no other disk. */
  | { readonly kind: 'record-place'; readonly place: RecordedPlace | undefined }
  | { readonly kind: 'create-table'; readonly disk: string; readonly sectors: number; readonly guid: string }
  | ({ readonly kind: 'add-partition'; readonly partition: Partition } & OnDisk)
  | ({ readonly kind: 'change-partition'; readonly partition: Partition } & OnDisk)
  /** The kernel learns of a partition, or of its new end. */
  | ({ readonly kind: 'announce-partition'; readonly partition: Partition } & OnDisk)
  | ({ readonly kind: 'announce-size'; readonly partition: Partition } & OnDisk)
  /** The beginning and the end are overwritten, where old contents would be recognised. */
  | { readonly kind: 'clear'; readonly device: string; readonly sizeBytes: number }
  | { readonly kind: 'format'; readonly device: string; readonly label: string }
  | { readonly kind: 'make-folder'; readonly path: string; readonly mode: number }
  | ({
      readonly kind: 'mount';
      readonly device: string;
      readonly type: string;
      readonly target: string;
    } & MountWish)
  | { readonly kind: 'set-mode'; readonly path: string; readonly mode: number }
  | { readonly kind: 'grow-file-system'; readonly target: string; readonly blocks: number }
  | {
      readonly kind: 'mount-overlay';
      readonly target: string;
      readonly changes: string;
      readonly work: string;
    }
  | { readonly kind: 'unmount'; readonly target: string }
  /** The node lets go of the partition: the next plan for the volume looks for it again. */
  | { readonly kind: 'close'; readonly id: string };

/** The disk of a step; `table` is the GUID of the partition table that it must have. */
export interface OnDisk {
  readonly disk: string;
  readonly sectors: number;
  readonly table: string;
}

/** Why a plan has no steps although the volume is not complete. */
export type VolumeWait = 'devices' | 'selection' | 'parent';

export interface VolumePlan {
  /** The first phase that is not complete. `mount` without steps, wait or refusal: the volume is ready, and mounted if requested. */
  readonly phase: VolumePhaseName;
  /** In their order. Empty when nothing is to be done now. */
  readonly steps: readonly VolumeStep[];
  /** The steps only make the volume larger: it can be used when they fail. */
  readonly isGrowth?: boolean;
  readonly waitsFor?: VolumeWait;
  /** Why the volume cannot be had, and what to do. */
  readonly refusal?: { readonly kind: FaultKind; readonly message: string };
  readonly located?: LocatedPartition;
  /** Size of the file system of a folder. */
  readonly folderBytes?: bigint;
}

/** A phase: its plan, or undefined when it is complete, so that the next one follows. */
export type PhasePlanner = (
  volume: PlannedVolume,
  facts: VolumeFacts,
  located: LocatedVolume,
) => VolumePlan | undefined;

/** Where a volume is. */
export type LocatedVolume =
  | { readonly kind: 'open'; readonly partition: LocatedPartition }
  | {
      readonly kind: 'found';
      readonly disk: ObservedDisk;
      readonly entry: Partition;
      readonly partition: LocatedPartition;
      readonly contents: PartitionContents;
      /** Of a partition on another disk. */
      readonly recorded?: RecordedPlace;
    }
  /** Recorded, and not found. `disk`: its disk is there, and has no such partition. */
  | { readonly kind: 'missing'; readonly place: RecordedPlace; readonly disk: OtherDisk | undefined }
  /** What is there cannot be told apart, or contradicts the record. */
  | { readonly kind: 'unclear'; readonly message: string }
  | { readonly kind: 'none' };

/** `/dev/vda5`, and `/dev/nvme0n1p5` where the name of the disk ends with a digit. */
export function partitionPath(disk: string, number: number): string {
  return `${disk}${/\d$/.test(disk) ? 'p' : ''}${number}`;
}

/** For messages: what a user can compare with `talosctl get discoveredvolumes`. */
export const identityText = ({ partition, disk }: PartitionIdentity): string =>
  `partition ${partition} of the disk with GUID ${disk}`;

export const sizeOfPartition = ({ first, last }: Pick<Partition, 'first' | 'last'>): number =>
  (last - first + 1) * 512;
