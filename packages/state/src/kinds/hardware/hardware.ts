import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { double, list, text, uint32, unlessEmpty } from '../../spec/field-types.ts';

/** CPU cores, with IDs `<socket>-<core>`. */
export const cpuCores = defineKind({
  type: 'CPUCores.hardware.talos.dev',
  defaultNamespace: 'hardware',
  aliases: ['cpucore', 'cpucores'],
  printColumns: {
    Socket: '{.socket}',
    Core: '{.coreID}',
    Model: '{.modelName}',
    'Logical CPUs': '{.logicalCPUs}',
  },
  spec: {
    socket: unlessEmpty(1, text),
    coreID: unlessEmpty(2, text),
    logicalCPUs: unlessEmpty(3, list(uint32)),
    vendorID: unlessEmpty(4, text),
    cpuFamily: unlessEmpty(5, text),
    model: unlessEmpty(6, text),
    modelName: unlessEmpty(7, text),
    stepping: unlessEmpty(8, text),
    microcode: unlessEmpty(9, text),
    cacheSize: unlessEmpty(10, text),
    coresPerSocket: unlessEmpty(11, uint32),
    threadsPerSocket: unlessEmpty(12, uint32),
    flags: unlessEmpty(13, list(text)),
    bugs: unlessEmpty(14, list(text)),
    bogoMips: unlessEmpty(15, double),
    addressSizes: unlessEmpty(16, text),
  },
});
export type CpuCoreSpec = SpecOf<typeof cpuCores>;

/** Memory modules, with IDs `<device locator>-<bank locator>`. */
export const memoryModules = defineKind({
  type: 'MemoryModules.hardware.talos.dev',
  defaultNamespace: 'hardware',
  aliases: ['memorymodules', 'ram'],
  printColumns: {
    Manufacturer: '{.manufacturer}',
    Model: '{.productName}',
    SizeMiB: '{.sizeMiB}',
  },
  spec: {
    sizeMiB: unlessEmpty(1, uint32),
    deviceLocator: unlessEmpty(2, text),
    bankLocator: unlessEmpty(3, text),
    /** MT/s. */
    speed: unlessEmpty(4, uint32),
    manufacturer: unlessEmpty(5, text),
    serialNumber: unlessEmpty(6, text),
    assetTag: unlessEmpty(7, text),
    productName: unlessEmpty(8, text),
  },
});
export type MemoryModuleSpec = SpecOf<typeof memoryModules>;

/** Processors, by socket. */
export const processors = defineKind({
  type: 'Processors.hardware.talos.dev',
  defaultNamespace: 'hardware',
  aliases: ['cpus', 'cpu'],
  printColumns: {
    Manufacturer: '{.manufacturer}',
    Model: '{.productName}',
    Cores: '{.coreCount}',
    Threads: '{.threadCount}',
  },
  spec: {
    socket: unlessEmpty(1, text),
    manufacturer: unlessEmpty(2, text),
    productName: unlessEmpty(3, text),
    maxSpeedMhz: unlessEmpty(4, uint32),
    bootSpeedMhz: unlessEmpty(5, uint32),
    /** Raw SMBIOS processor status. */
    status: unlessEmpty(6, uint32),
    serialNumber: unlessEmpty(7, text),
    assetTag: unlessEmpty(8, text),
    partNumber: unlessEmpty(9, text),
    coreCount: unlessEmpty(10, uint32),
    coreEnabled: unlessEmpty(11, uint32),
    threadCount: unlessEmpty(12, uint32),
  },
});
export type ProcessorSpec = SpecOf<typeof processors>;

/** System information from SMBIOS. */
export const systemInformations = defineKind({
  type: 'SystemInformations.hardware.talos.dev',
  defaultNamespace: 'hardware',
  singleton: 'systeminformation',
  printColumns: {
    Manufacturer: '{.manufacturer}',
    ProductName: '{.productName}',
    Version: '{.version}',
    SerialNumber: '{.serialnumber}',
    UUID: '{.uuid}',
    WakeUpType: '{.wakeUpType}',
    SKUNumber: '{.skuNumber}',
  },
  spec: {
    manufacturer: unlessEmpty(1, text),
    productName: unlessEmpty(2, text),
    version: unlessEmpty(3, text),
    biosVersion: unlessEmpty(8, text),
    serialnumber: unlessEmpty(4, text),
    /** In lower case. A UUID from META overrides the one from SMBIOS. */
    uuid: unlessEmpty(5, text),
    wakeUpType: unlessEmpty(6, text),
    skuNumber: unlessEmpty(7, text),
  },
});
export type SystemInformationSpec = SpecOf<typeof systemInformations>;

/** TPM registers (PCRs) that must not be extended yet, because volumes still need their current values. */
export const pcrStatuses = defineKind({
  type: 'PCRStatuses.hardware.talos.dev',
  defaultNamespace: 'hardware',
  spec: {},
});
export type PcrStatusSpec = SpecOf<typeof pcrStatuses>;
