import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type BlockDevice,
  type BlockDisk,
  type LinkHardware,
  type PciDevice,
  readBlockDevices,
  readDisks,
  readPciDevices,
} from '@nodewright/linux';
import { readUdevRecord, type UdevRecord } from './udev-record.ts';

/** A device as sysfs shows it, with what udevd has recorded. */
export interface SysfsDevice {
  /** Below the root of sysfs, such as `/devices/virtual/net/lo`. */
  readonly path: string;
  readonly subsystem: string;
  readonly name: string;
  readonly properties: ReadonlyMap<string, string>;
  /** Empty if none is bound. */
  readonly driver: string;
  /** Path of the next device above it; empty if there is none. */
  readonly parentPath: string;
  readonly udev: UdevRecord | undefined;
  readonly block: { readonly device: BlockDevice; readonly disk: BlockDisk | undefined } | undefined;
  readonly pci: PciDevice | undefined;
  readonly link: LinkHardware | undefined;
}

export interface DeviceSources {
  /** Where sysfs is mounted. */
  readonly sysRoot: string;
  /** Where udevd records devices. */
  readonly udevData: string;
  /** The hardware of the network link of a name; undefined if it has none. */
  readonly linkHardware: (name: string) => LinkHardware | undefined;
}

/** Devices that are read in one turn of the event loop. */
const devicesPerTurn = 64;

/**
 * The devices of some subsystems, or of all, each once and in the order of their paths. A device that is removed meanwhile is
 * left out.
 */
export async function* readDevices(
  init: DeviceSources,
  subsystems: ReadonlySet<string> | undefined,
): AsyncGenerator<SysfsDevice> {
  const { sysRoot, udevData, linkHardware } = init;
  const root = realPath(sysRoot);
  if (root === undefined) return;
  const details = readDetails(sysRoot, subsystems);
  const parents = new Parents(root);
  let count = 0;
  for (const folder of deviceFolders(sysRoot, root, subsystems)) {
    count += 1;
    if (count % devicesPerTurn === 0) await nextTurn();
    const properties = propertiesOf(folder);
    const subsystem = linkName(`${folder}/subsystem`);
    if (properties === undefined || subsystem === '') continue;
    const name = basename(folder);
    const block = subsystem === 'block' ? details.block.get(folder) : undefined;
    yield {
      ...{ path: folder.slice(root.length), subsystem, name, properties },
      driver: linkName(`${folder}/driver`),
      parentPath: parents.of(folder),
      udev: readUdevRecord(udevData, { subsystem, name, properties }),
      block: block && { device: block, disk: block.type === 'disk' ? details.disks.get(name) : undefined },
      pci: subsystem === 'pci' ? details.pci.get(name) : undefined,
      link: subsystem === 'net' ? linkHardware(name) : undefined,
    };
  }
}

function readDetails(sysRoot: string, subsystems: ReadonlySet<string> | undefined) {
  const wants = (name: string) => subsystems === undefined || subsystems.has(name);
  const hasBlock = wants('block');
  return {
    block: new Map((hasBlock ? readBlockDevices(sysRoot) : []).map((device) => [device.sysPath, device])),
    disks: new Map((hasBlock ? readDisks(sysRoot) : []).map((disk) => [disk.name, disk])),
    pci: new Map((wants('pci') ? readPciDevices(sysRoot) : []).map((device) => [device.address, device])),
  };
}

/** The folders of the devices, without links, sorted: a device comes before those below it. */
function deviceFolders(
  sysRoot: string,
  root: string,
  subsystems: ReadonlySet<string> | undefined,
): Iterable<string> {
  const names = (folder: string) => namesIn(`${sysRoot}/${folder}`);
  const wanted = (all: readonly string[]) =>
    all.filter((name) => subsystems === undefined || subsystems.has(name));
  const links = [
    ...wanted(names('class')).flatMap((name) =>
      names(`class/${name}`).map((each) => `class/${name}/${each}`),
    ),
    ...wanted(names('bus')).flatMap((name) =>
      names(`bus/${name}/devices`).map((each) => `bus/${name}/devices/${each}`),
    ),
    // In a container or a test there may be no `class/block`.
    ...(wanted(['block']).length === 0 ? [] : names('block').map((each) => `block/${each}`)),
  ];
  const paths = links.flatMap((link) => realPath(`${sysRoot}/${link}`) ?? []);
  return [...new Set(paths)].filter((path) => path.startsWith(`${root}/devices/`)).sort();
}

/** Finds the next folder above a device that is a device, too. Devices that are read together share most of these. */
class Parents {
  readonly #root: string;
  readonly #isDevice = new Map<string, boolean>();

  constructor(root: string) {
    this.#root = root;
  }

  of(folder: string): string {
    for (let path = dirname(folder); path.length > `${this.#root}/devices`.length; path = dirname(path))
      if (this.#has(path)) return path.slice(this.#root.length);
    return '';
  }

  #has(path: string): boolean {
    const known = this.#isDevice.get(path);
    if (known !== undefined) return known;
    const isDevice = existsSync(`${path}/uevent`) && existsSync(`${path}/subsystem`);
    this.#isDevice.set(path, isDevice);
    return isDevice;
  }
}

function propertiesOf(folder: string): Map<string, string> | undefined {
  try {
    const lines = readFileSync(`${folder}/uevent`, 'utf8').split('\n');
    return new Map(
      lines
        .filter((line) => line.indexOf('=') > 0)
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkName(path: string): string {
  // Most devices have no driver, and an exception takes longer than this question.
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return '';
  try {
    return basename(readlinkSync(path));
  } catch {
    return '';
  }
}

function realPath(path: string): string | undefined {
  try {
    // That of JavaScript looks at each folder of the path on its own.
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
