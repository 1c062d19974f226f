import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseSmbios } from './parse-smbios.ts';
import { readSmbios } from './read-smbios.ts';

/** A structure of the table: values by offset, and its texts. */
function structure(type: number, length: number, at: Readonly<Record<number, number[]>>, ...texts: string[]) {
  const formatted = Buffer.alloc(length);
  formatted.set([type, length]);
  for (const [offset, bytes] of Object.entries(at)) formatted.set(bytes, Number(offset));
  return Buffer.concat([formatted, Buffer.from(`${texts.map((text) => `${text}\0`).join('') || '\0'}\0`)]);
}

const word = (value: number) => [value & 0xff, value >> 8];
const uuid = [0x3e, 0x8f, 0x1c, 0x9f, 0x5b, 0x2b, 0x9d, 0x4c, 0x8a, 0x51, 0x2f, 0x0a, 0x3b, 0x7c, 0x6d, 0x11];
const bios = structure(0, 0x18, { 4: [1], 5: [2] }, 'SeaBIOS', '1.16');
const system = structure(
  1,
  0x1b,
  { 4: [1], 5: [2], 6: [3], 7: [4], 8: uuid, 24: [6], 25: [0] },
  'QEMU',
  'Standard PC',
  'pc-q35 ',
  'S-1',
);
const processor = structure(
  4,
  0x30,
  {
    ...{ 4: [1], 7: [2], 16: [3], 20: word(2000), 22: word(1800), 24: [0x41], 32: [4] },
    ...{ 35: [4], 36: [4], 37: [255], 42: word(4), 44: word(4), 46: word(300) },
  },
  'CPU 0',
  'QEMU',
  'pc-q35',
  'P-1',
);
const memory = (size: number, extended = 0) =>
  structure(
    17,
    0x28,
    {
      12: word(size),
      16: [1],
      17: [2],
      21: word(3200),
      23: [3],
      28: [...word(extended & 0xffff), ...word(extended >> 16)],
    },
    'DIMM 0',
    'BANK 0',
    'Example',
  );
const end = structure(127, 4, {});

const table = Buffer.concat([bios, system, processor, memory(16_384), end, memory(1)]);

test('parseSmbios() reads the system, its processors and its memory', () => {
  assert.deepEqual(parseSmbios(table), {
    system: {
      manufacturer: 'QEMU',
      productName: 'Standard PC',
      version: 'pc-q35',
      serialNumber: 'S-1',
      uuid: '9f1c8f3e-2b5b-4c9d-8a51-2f0a3b7c6d11',
      wakeUpType: 'Power Switch',
      skuNumber: '',
      biosVersion: '1.16',
    },
    processors: [
      {
        ...{
          socket: 'CPU 0',
          manufacturer: 'QEMU',
          version: 'pc-q35',
          maxSpeedMhz: 2000,
          bootSpeedMhz: 1800,
        },
        ...{ status: 0x41, serialNumber: 'P-1', assetTag: '', partNumber: '' },
        ...{ coreCount: 4, coreEnabled: 4, threadCount: 300 },
      },
    ],
    memoryModules: [
      {
        ...{ sizeMiB: 16_384, deviceLocator: 'DIMM 0', bankLocator: 'BANK 0', speed: 3200 },
        ...{ manufacturer: 'Example', serialNumber: '', assetTag: '', partNumber: '' },
      },
    ],
  });
});

test('parseSmbios() reads sizes of memory in all of their forms', () => {
  const sizes = [0, 0xffff, 512, 0x8000 + 2048, 0x7fff].map(
    (size) => parseSmbios(memory(size, 65_536)).memoryModules[0]?.sizeMiB,
  );
  assert.deepEqual(sizes, [0, 0, 512, 2, 65_536]);
});

test('parseSmbios() treats a UUID of all zeros or ones as missing, and accepts the short structures of old firmware', () => {
  for (const byte of [0, 255]) {
    const { system: read } = parseSmbios(structure(1, 0x19, { 8: Array(16).fill(byte) }));
    assert.equal(read?.uuid, '');
  }
  assert.deepEqual(parseSmbios(structure(1, 8, { 4: [1] }, 'Old')).system, {
    ...{ manufacturer: 'Old', productName: '', version: '', serialNumber: '', uuid: '', wakeUpType: '' },
    ...{ skuNumber: '', biosVersion: '' },
  });
});

test('parseSmbios() accepts any bytes', () => {
  const cut = fc.nat(table.length).map((length) => table.subarray(0, length));
  fc.assert(
    fc.property(fc.oneof(cut, fc.uint8Array({ maxLength: 64 })), (bytes) => {
      assert.ok(Array.isArray(parseSmbios(bytes).processors));
    }),
  );
});

test('readSmbios() returns what every user may read without the table, and nothing on machines without SMBIOS', () => {
  const sysRoot = mkdtempSync(join(tmpdir(), 'sys-'));
  try {
    assert.equal(readSmbios(sysRoot), undefined);
    mkdirSync(join(sysRoot, 'class/dmi/id'), { recursive: true });
    writeFileSync(join(sysRoot, 'class/dmi/id/sys_vendor'), 'QEMU\n');
    assert.deepEqual(readSmbios(sysRoot)?.system?.manufacturer, 'QEMU');
    mkdirSync(join(sysRoot, 'firmware/dmi/tables'), { recursive: true });
    writeFileSync(join(sysRoot, 'firmware/dmi/tables/DMI'), table);
    assert.deepEqual(readSmbios(sysRoot), parseSmbios(table));
  } finally {
    rmSync(sysRoot, { recursive: true });
  }
});
