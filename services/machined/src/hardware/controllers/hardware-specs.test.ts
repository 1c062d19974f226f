import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCpuinfo, type Smbios } from '@nodewright/linux';
import { pciNames } from '../domain/pci-names.ts';
import { cpuCoresOf } from './cpu-cores.ts';
import { memoryModulesOf, processorsOf, systemInformationOf } from './system-information.ts';

const none = { serialNumber: '', assetTag: '', partNumber: '', manufacturer: '' };
const processor = {
  ...{ ...none, socket: 'CPU 0', version: 'pc-q35', maxSpeedMhz: 0, bootSpeedMhz: 0, status: 65 },
  ...{ coreCount: 4, coreEnabled: 4, threadCount: 8 },
};
const module = { ...none, sizeMiB: 16, deviceLocator: 'DIMM 0', bankLocator: 'BANK 1', speed: 3200 };
const smbios: Smbios = {
  system: {
    ...{ manufacturer: 'QEMU', productName: 'Q35', version: '', serialNumber: 'S', uuid: 'u-1' },
    ...{ wakeUpType: 'Power Switch', skuNumber: '', biosVersion: '1.16' },
  },
  processors: [processor, processor],
  memoryModules: [module, { ...module, sizeMiB: 0, partNumber: 'P-1' }],
};

test('the machine has the UUID of its firmware, or the one from META', () => {
  assert.deepEqual(systemInformationOf(smbios, ''), {
    ...{ manufacturer: 'QEMU', productName: 'Q35', version: '', biosVersion: '1.16', serialnumber: 'S' },
    ...{ uuid: 'u-1', wakeUpType: 'Power Switch', skuNumber: '' },
  });
  assert.equal(systemInformationOf(smbios, 'given')?.uuid, 'given');
  assert.equal(systemInformationOf(undefined, 'given')?.uuid, 'given');
  assert.equal(systemInformationOf(undefined, ''), undefined);
});

test('processors and memory modules have unique ids without spaces', () => {
  assert.deepEqual(
    processorsOf(smbios).map(({ id, spec }) => [id, spec.socket, spec.productName, spec.threadCount]),
    [
      ['CPU-0', 'CPU 0', 'pc-q35', 8],
      ['CPU-0-2', 'CPU 0', 'pc-q35', 8],
    ],
  );
  assert.deepEqual(
    memoryModulesOf(smbios, 0).map(({ id, spec }) => [id, spec.sizeMiB, spec.productName]),
    [
      ['DIMM-0-BANK-1', 16, ''],
      ['DIMM-0-BANK-1-2', 0, 'P-1'],
    ],
  );
});

test('a machine without data about its memory has one module with all of the memory', () => {
  assert.deepEqual(
    memoryModulesOf(undefined, 2_097_151).map(({ id, spec }) => [id, spec.sizeMiB]),
    [['UNKNOWN', 2047]],
  );
});

test('cpuCoresOf() groups the processors of a core, and treats each as a core when that is unknown', () => {
  const cpu = (number: number, core: string) =>
    `processor : ${number}\nmodel name : X\nbogomips : 48.5\nflags : a b\n${core}`;
  const known = parseCpuinfo(
    [0, 1, 2].map((at) => cpu(at, `physical id : 0\ncore id : ${at % 2}\nsiblings : 3`)).join('\n\n'),
  );
  assert.deepEqual(
    cpuCoresOf(known).map(({ id, spec }) => [id, spec.logicalCPUs, spec.threadsPerSocket, spec.bogoMips]),
    [
      ['0-0', [0, 2], 3, 48.5],
      ['0-1', [1], 3, 48.5],
    ],
  );
  const unknown = parseCpuinfo([0, 1].map((at) => cpu(at, '')).join('\n\n'));
  assert.deepEqual(
    cpuCoresOf(unknown).map(({ id }) => id),
    ['0', '1'],
  );
});

const list = Buffer.from(
  [
    '# comment',
    '8086  Intel Corporation',
    '\t2922  82801 SATA Controller',
    '\t\t1af4 1100  QEMU',
    '8087  Other',
    '\t2923  Not of the first',
    'C 01  Mass storage controller',
    '\t06  SATA controller',
    '\t\t01  AHCI 1.0',
    '',
  ].join('\n'),
);

test('pciNames() finds names in the list, each within the block of its vendor', () => {
  const ahci = { classId: 1, subclassId: 6, vendorId: 0x8086, productId: 0x2922 };
  assert.deepEqual(pciNames(list, ahci), {
    ...{ class: 'Mass storage controller', subclass: 'SATA controller' },
    ...{ vendor: 'Intel Corporation', product: '82801 SATA Controller' },
  });
  const { vendor, product } = pciNames(list, { ...ahci, productId: 0x2923 });
  assert.deepEqual([vendor, product], ['Intel Corporation', '']);
  assert.deepEqual(pciNames(list, { ...ahci, vendorId: 0x1234, classId: 2 }).vendor, '');
});

test('pciNames() knows common classes without a list', () => {
  const device = { classId: 2, subclassId: 0, vendorId: 1, productId: 1 };
  assert.deepEqual(pciNames(undefined, device), {
    ...{ class: 'Network controller', subclass: 'Ethernet controller', vendor: '', product: '' },
  });
});
