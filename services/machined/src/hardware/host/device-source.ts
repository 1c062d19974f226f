import type { BlockDevice, BlockDisk, LinkHardware, PciDevice, Smbios } from '@nodewright/linux';

/** An event of a device. */
export interface DeviceEvent {
  /** `add`, `remove`, `change` and so on. */
  readonly action: string;
  /** Below `/sys`. */
  readonly path: string;
  readonly subsystem: string;
  /** The kernel's name of the device. */
  readonly name: string;
  /** Sent by udevd, after its rules have run; otherwise by the kernel, before. */
  readonly isProcessed: boolean;
}

/** Called for an event of one subsystem; undefined: events were missed, so any device may have changed. */
export type OnDeviceEvent = (event: DeviceEvent | undefined) => void;

/** Block devices as they were last read. */
export interface BlockInventory {
  readonly devices: readonly BlockDevice[];
  /** Whole disks with content. */
  readonly disks: readonly BlockDisk[];
  /** What udevd has recorded, such as `ID_FS_TYPE`, by the name of the device. */
  readonly records: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The links below `/dev/disk`, sorted, by the name of the device. */
  readonly links: ReadonlyMap<string, readonly string[]>;
}

/** What is known of the source itself. */
export interface DeviceSourceState {
  readonly isConnected: boolean;
  /** `udevd` or `read-only`; empty before the first connection. */
  readonly mode: string;
  readonly reason: string;
  /** Empty while devices are followed. */
  readonly problem: string;
  readonly gaps: number;
}

/**
 * The devices of the node. What it returns is the state after every event that listeners were called for. While the source is
 * away, it is the last known one.
 */
export interface DeviceSource {
  /** Undefined until they were read first. */
  block(): BlockInventory | undefined;
  pci(): readonly PciDevice[] | undefined;
  /** The hardware of network links, by their names. */
  linkHardware(): ReadonlyMap<string, LinkHardware> | undefined;
  /** What the firmware knows of the machine; all of it may be empty. */
  firmware(): Smbios | undefined;
  /** Calls `onEvent` for the events of a subsystem, until it is disposed of. */
  listen(subsystem: string, onEvent: OnDeviceEvent): Disposable;
  state(): DeviceSourceState;
  /** Calls `onChange` when the state of the source has changed. */
  watchState(onChange: () => void): Disposable;
}
