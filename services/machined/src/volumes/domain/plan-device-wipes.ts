// What a request to wipe block devices may do. Source: Talos v1.14: BlockDeviceWipe.
import { startPartitions, wipeableVolumes } from '@nodewright/contract/volumes';
import { Fault, type FaultKind } from '@nodewright/fault';

/** `fast` clears what makes the contents recognisable, `zeroes` everything. */
export type WipeMethod = 'fast' | 'zeroes';

/** One device of a request. */
export interface DeviceWipeWish {
  /** The kernel's name, without a path. */
  readonly device: string;
  readonly method: WipeMethod;
  readonly skipVolumeCheck: boolean;
  readonly skipSecondaryCheck: boolean;
  /** Deletes the entry of the partition as well. */
  readonly dropPartition: boolean;
  /** Refuses the system disk, its partitions and what is built on them, whatever their labels. No check that is skipped skips this one. */
  readonly sparesSystemDisk: boolean;
}

/** A disk or a partition. */
export interface WipeableDevice {
  /** The kernel's name. */
  readonly name: string;
  /** The disk of a partition; empty for a disk. */
  readonly parent: string;
  /** Label of a partition. */
  readonly partitionName: string;
  /** Number of a partition; 0 for disks. */
  readonly partitionNumber: number;
  /** Its folder in sysfs. */
  readonly sysPath: string;
  /** Names of the devices that it is built on, such as the members of a RAID. */
  readonly secondaries: readonly string[];
  /** Where a partition begins on its disk; 0 for disks. */
  readonly offsetBytes: number;
  readonly sizeBytes: number;
}

/** What is known about the devices of the machine. */
export interface DeviceFacts {
  readonly devices: readonly WipeableDevice[];
  readonly disks: readonly { readonly name: string; readonly kind: string; readonly isReadOnly: boolean }[];
  /** Paths of their devices, and of the disks of those; empty for a volume that is no device. */
  readonly volumes: readonly {
    readonly id: string;
    readonly location: string;
    readonly parentLocation: string;
  }[];
  /** Path of the disk that holds META; undefined when there is none. */
  readonly systemDisk: string | undefined;
  readonly mounts: readonly { readonly source: string; readonly mountPoint: string }[];
}

/** What to do to one device. */
export interface DeviceWipe {
  readonly name: string;
  readonly path: string;
  /** Its folder in sysfs. */
  readonly sysPath: string;
  readonly sizeBytes: number;
  readonly method: WipeMethod;
  /** The partitions of a disk, which are gone after it was wiped; empty for a partition. */
  readonly partitions: readonly number[];
  /** The entry to delete. */
  readonly dropped:
    | {
        readonly disk: string;
        readonly diskBytes: number;
        readonly number: number;
        /** Where the kernel takes the partition to be on the disk. */
        readonly offsetBytes: number;
        readonly sizeBytes: number;
      }
    | undefined;
}

/**
 * Decides about all devices of a request before the first one is touched.
 *
 * @throws Fault `invalid-argument`, `not-found` or `failed-precondition` when one of them must not be wiped
 */
export function planDeviceWipes(wishes: readonly DeviceWipeWish[], facts: DeviceFacts): DeviceWipe[] {
  for (const { device } of wishes) checkName(device);
  const plans = wishes.map((wish) => planOf(wish, facts));
  checkApart(wishes, facts);
  return plans;
}

function checkName(name: string): void {
  if (name === '') throw new Fault('invalid-argument', 'the name of a block device is empty');
  if (name.includes('/'))
    throw new Fault(
      'invalid-argument',
      `"${name}" is a path: name the block device alone, such as ${name.split('/').at(-1) || 'sda'}`,
    );
}

function planOf(wish: DeviceWipeWish, facts: DeviceFacts): DeviceWipe {
  const device = facts.devices.find(({ name }) => name === wish.device);
  if (device === undefined) throw new Fault('not-found', `there is no block device "${wish.device}"`);
  const refuse = (kind: FaultKind, what: string): never => {
    throw new Fault(kind, `block device "${device.name}" ${what}`);
  };
  const isDisk = device.parent === '';
  if (wish.dropPartition && isDisk)
    refuse('invalid-argument', 'is a whole disk and no partition, so it has no entry to delete');
  const problem =
    problemOfDisk(device, facts) ??
    (wish.sparesSystemDisk ? problemOfSystemDisk(device, facts) : undefined) ??
    (wish.skipSecondaryCheck ? undefined : problemOfHolders(device, facts)) ??
    (wish.skipVolumeCheck ? undefined : (problemOfVolumes(device, facts) ?? problemOfStart(device, facts))) ??
    problemOfMounts(device, facts);
  if (problem !== undefined) refuse('failed-precondition', problem);

  const parent = facts.devices.find(({ name }) => name === device.parent);
  if (wish.dropPartition && parent === undefined) refuse('not-found', 'has no disk any more');
  return {
    ...{ name: device.name, path: pathOf(device), sysPath: device.sysPath, sizeBytes: device.sizeBytes },
    method: wish.method,
    partitions: partitionsOf(device, facts).map(({ partitionNumber }) => partitionNumber),
    dropped:
      wish.dropPartition && parent !== undefined
        ? {
            ...{ disk: pathOf(parent), diskBytes: parent.sizeBytes, number: device.partitionNumber },
            ...{ offsetBytes: device.offsetBytes, sizeBytes: device.sizeBytes },
          }
        : undefined,
  };
}

function problemOfDisk(device: WipeableDevice, { disks }: DeviceFacts): string | undefined {
  const disk = disks.find(({ name }) => name === (device.parent || device.name));
  if (disk?.kind === 'cd') return 'is a CD-ROM';
  if (device.sizeBytes === 0) return 'has no medium';
  return disk?.isReadOnly ? 'is read-only' : undefined;
}

function problemOfSystemDisk(device: WipeableDevice, facts: DeviceFacts): string | undefined {
  const below = new Set([device.name]);
  for (const name of below) {
    const { parent = '', secondaries = [] } = facts.devices.find((each) => each.name === name) ?? {};
    for (const each of parent === '' ? secondaries : [parent, ...secondaries]) below.add(each);
  }
  if (![...below].some((name) => pathOf({ name }) === facts.systemDisk)) return undefined;
  const where = pathOf(device) === facts.systemDisk ? 'is' : 'is on';
  return `${where} the system disk of this machine: only a certificate with os:admin may wipe it`;
}

function problemOfHolders(device: WipeableDevice, facts: DeviceFacts): string | undefined {
  const own = new Set([
    device.name,
    ...(device.parent === '' ? [] : [device.parent]),
    ...partitionsOf(device, facts).map(({ name }) => name),
  ]);
  const holder = facts.devices.find(({ secondaries }) => secondaries.some((name) => own.has(name)));
  return holder && `is in use by block device "${holder.name}": remove that one first`;
}

function problemOfVolumes(device: WipeableDevice, { volumes }: DeviceFacts): string | undefined {
  const path = pathOf(device);
  const user = volumes.find(({ location, parentLocation }) => location === path || parentLocation === path);
  return user && `is in use by volume "${user.id}"`;
}

/** Partitions of the system disk that are no volumes: the firmware and the boot loader read them. */
const startLabels = new Set<string>(Object.values(startPartitions));

/** Partitions that are volumes. Without a configuration, or with one that is damaged, EPHEMERAL is none yet. */
const keptLabels = new Set<string>(wipeableVolumes);

/** Without the first the machine could not start again, and without the others it would not be the same one. This check is our own. */
function problemOfStart(device: WipeableDevice, facts: DeviceFacts): string | undefined {
  const { parent, partitionName } = device;
  if (pathOf(device) === facts.systemDisk) return 'is the system disk of this machine';
  if (parent === '' || pathOf({ name: parent }) !== facts.systemDisk) return undefined;
  if (startLabels.has(partitionName))
    return `is the partition ${partitionName}, from which this machine starts`;
  return keptLabels.has(partitionName) ? `is the partition ${partitionName} of this machine` : undefined;
}

function problemOfMounts(device: WipeableDevice, facts: DeviceFacts): string | undefined {
  const paths = new Set([device, ...partitionsOf(device, facts)].map(pathOf));
  const mount = facts.mounts.find(({ source }) => paths.has(source));
  return (
    mount &&
    `is mounted at "${mount.mountPoint}"${mount.source === pathOf(device) ? '' : ` (${mount.source})`}`
  );
}

/** Each device of a request is opened for it alone, so no two may be the same, or a disk and its partition. */
function checkApart(wishes: readonly DeviceWipeWish[], { devices }: DeviceFacts): void {
  const names = new Set<string>();
  for (const { device } of wishes) {
    if (names.has(device)) throw new Fault('invalid-argument', `block device "${device}" is listed twice`);
    names.add(device);
  }
  for (const { name, parent } of devices)
    if (names.has(name) && names.has(parent))
      throw new Fault('invalid-argument', `"${name}" is a partition of "${parent}": list only one of them`);
}

const pathOf = ({ name }: Pick<WipeableDevice, 'name'>) => `/dev/${name}`;

const partitionsOf = ({ name }: WipeableDevice, { devices }: DeviceFacts) =>
  devices.filter(({ parent }) => parent === name);
