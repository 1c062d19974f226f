import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fixture } from './fixture.ts';
import { type CpuInfo, parseCpuinfo } from './parse-cpuinfo.ts';

const nothing: Omit<CpuInfo, 'processor'> = {
  vendorId: '',
  cpuFamily: '',
  model: '',
  modelName: '',
  stepping: '',
  microcode: '',
  cpuMhz: 0,
  cacheSize: '',
  physicalId: '',
  siblings: 0,
  coreId: '',
  cpuCores: 0,
  apicId: '',
  initialApicId: '',
  fpu: '',
  fpuException: '',
  cpuidLevel: 0,
  wp: '',
  flags: [],
  bugs: [],
  bogoMips: 0,
  clflushSize: 0,
  cacheAlignment: 0,
  addressSizes: '',
  powerManagement: '',
};

test('parseCpuinfo() reads every field of an x86-64 machine', () => {
  const cpus = parseCpuinfo(fixture('cpuinfo-x86_64.txt'));
  assert.deepEqual(
    cpus.map((cpu) => cpu.processor),
    [0, 1],
  );
  const { flags, ...first } = cpus[0] as CpuInfo;
  assert.deepEqual(first, {
    processor: 0,
    vendorId: 'AuthenticAMD',
    cpuFamily: '25',
    model: '17',
    modelName: 'AMD EPYC',
    stepping: '1',
    microcode: '0x1000065',
    cpuMhz: first.cpuMhz,
    cacheSize: '1024 KB',
    physicalId: '0',
    siblings: 2,
    coreId: '0',
    cpuCores: 2,
    apicId: '0',
    initialApicId: '0',
    fpu: 'yes',
    fpuException: 'yes',
    cpuidLevel: 28,
    wp: 'yes',
    bugs: [
      'sysret_ss_attrs',
      'null_seg',
      'spectre_v1',
      'spectre_v2',
      'spec_store_bypass',
      'srso',
      'spectre_v2_user',
    ],
    bogoMips: 5192.25,
    clflushSize: 64,
    cacheAlignment: 64,
    addressSizes: '48 bits physical, 48 bits virtual',
    powerManagement: '',
  });
  assert.match(String(first.cpuMhz), /^\d{4}/);
  assert.deepEqual([flags[0], flags.at(-1)], ['fpu', 'fsrm']);
});

test('parseCpuinfo() has number, speed and features of an arm64 server, and nothing else', () => {
  const flags = (
    'fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp ' +
    'ssbs'
  ).split(' ');
  assert.deepEqual(parseCpuinfo(fixture('cpuinfo-arm64-server.txt')), [
    { ...nothing, processor: 0, bogoMips: 243.75, flags },
    { ...nothing, processor: 1, bogoMips: 243.75, flags },
  ]);
});

test('parseCpuinfo() ignores the block about the board', () => {
  assert.deepEqual(
    parseCpuinfo(fixture('cpuinfo-arm64-board.txt')).map((cpu) => cpu.processor),
    [0, 1, 2, 3],
  );
});

test('parseCpuinfo() returns as many CPUs as were printed, whatever their other fields contain', () => {
  const field = fc.tuple(
    fc.constantFrom('model name', 'flags', 'cpu MHz', 'bugs', 'unknown key'),
    fc.stringMatching(/^[ -~]{0,30}$/),
  );
  fc.assert(
    fc.property(fc.array(fc.array(field)), (cpus) => {
      const text = cpus
        .map(
          (fields, index) =>
            `processor\t: ${index}\n${fields.map(([key, value]) => `${key}\t: ${value}\n`).join('')}\n`,
        )
        .join('');
      assert.deepEqual(
        parseCpuinfo(text).map((cpu) => cpu.processor),
        cpus.map((_fields, index) => index),
      );
    }),
  );
});
