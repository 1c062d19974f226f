import { type SmbiosStructure, smbiosStructures } from './smbios-structures.ts';

/** Facts about the machine from its firmware. Texts that the firmware does not set are empty. */
export interface SmbiosSystem {
  readonly manufacturer: string;
  readonly productName: string;
  readonly version: string;
  readonly serialNumber: string;
  /** In lower case; empty when the machine has none. */
  readonly uuid: string;
  /** What started the machine, such as `Power Switch`. */
  readonly wakeUpType: string;
  readonly skuNumber: string;
  readonly biosVersion: string;
}

export interface SmbiosProcessor {
  /** Designation of its socket. */
  readonly socket: string;
  readonly manufacturer: string;
  readonly version: string;
  readonly maxSpeedMhz: number;
  readonly bootSpeedMhz: number;
  /** Status byte of the table: whether the socket is populated, and whether the processor is enabled. */
  readonly status: number;
  readonly serialNumber: string;
  readonly assetTag: string;
  readonly partNumber: string;
  readonly coreCount: number;
  readonly coreEnabled: number;
  readonly threadCount: number;
}

export interface SmbiosMemoryModule {
  /** 0: the slot is empty, or the size is unknown. */
  readonly sizeMiB: number;
  readonly deviceLocator: string;
  readonly bankLocator: string;
  /** Million transfers a second; 0: unknown. */
  readonly speed: number;
  readonly manufacturer: string;
  readonly serialNumber: string;
  readonly assetTag: string;
  readonly partNumber: string;
}

export interface Smbios {
  readonly system: SmbiosSystem | undefined;
  readonly processors: readonly SmbiosProcessor[];
  readonly memoryModules: readonly SmbiosMemoryModule[];
}

const types = { bios: 0, system: 1, processor: 4, memoryDevice: 17 } as const;

/** Parses the table of SMBIOS and ignores unknown structures. Source: DMTF DSP0134, types 0, 1, 4 and 17. */
export function parseSmbios(table: Uint8Array): Smbios {
  const structures = smbiosStructures(table);
  const of = (type: number) => structures.filter((structure) => structure.type === type);
  const [bios] = of(types.bios);
  const [system] = of(types.system);
  return {
    system: system && systemOf(system, bios),
    processors: of(types.processor).map(processorOf),
    memoryModules: of(types.memoryDevice).map(memoryModuleOf),
  };
}

const wakeUpTypes = [
  'Reserved',
  'Other',
  'Unknown',
  'APM Timer',
  'Modem Ring',
  'LAN Remote',
  'Power Switch',
  'PCI PME#',
  'AC Power Restored',
];

function systemOf(system: SmbiosStructure, bios: SmbiosStructure | undefined): SmbiosSystem {
  return {
    manufacturer: system.text(0x04),
    productName: system.text(0x05),
    version: system.text(0x06),
    serialNumber: system.text(0x07),
    uuid: uuidOf(system.bytes(0x08, 16)),
    wakeUpType: system.bytes(0x18, 1) === undefined ? '' : (wakeUpTypes[system.byte(0x18)] ?? ''),
    skuNumber: system.text(0x19),
    biosVersion: bios?.text(0x05) ?? '',
  };
}

/** The first three groups are little-endian. All zeros or all ones means that there is no UUID. */
function uuidOf(bytes: Uint8Array | undefined): string {
  if (bytes === undefined || bytes.every((byte) => byte === 0) || bytes.every((byte) => byte === 255))
    return '';
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  const hex = Buffer.from(order.map((at) => bytes[at] ?? 0)).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** For a count that does not fit in the byte, the byte is 255 and the count is in a later field. */
const inWord = 255;

function processorOf(processor: SmbiosStructure): SmbiosProcessor {
  const count = (offset: number, wordOffset: number) => {
    const value = processor.byte(offset);
    return value === inWord ? processor.word(wordOffset) || value : value;
  };
  return {
    socket: processor.text(0x04),
    manufacturer: processor.text(0x07),
    version: processor.text(0x10),
    maxSpeedMhz: processor.word(0x14),
    bootSpeedMhz: processor.word(0x16),
    status: processor.byte(0x18),
    serialNumber: processor.text(0x20),
    assetTag: processor.text(0x21),
    partNumber: processor.text(0x22),
    coreCount: count(0x23, 0x2a),
    coreEnabled: count(0x24, 0x2c),
    threadCount: count(0x25, 0x2e),
  };
}

const unknownWord = 0xffff;
const extendedSize = 0x7fff;
const kibibytes = 0x8000;

function memoryModuleOf(module: SmbiosStructure): SmbiosMemoryModule {
  const speed = module.word(0x15);
  return {
    sizeMiB: sizeOf(module),
    deviceLocator: module.text(0x10),
    bankLocator: module.text(0x11),
    speed: speed === unknownWord ? 0 : speed,
    manufacturer: module.text(0x17),
    serialNumber: module.text(0x18),
    assetTag: module.text(0x19),
    partNumber: module.text(0x1a),
  };
}

function sizeOf(module: SmbiosStructure): number {
  const size = module.word(0x0c);
  if (size === unknownWord) return 0;
  if (size === extendedSize) return module.doubleWord(0x1c) % 2 ** 31;
  return size >= kibibytes ? Math.floor((size - kibibytes) / 1024) : size;
}
