import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { diskTransport } from './disk-transport.ts';
import { readDisks } from './read-disks.ts';

const sysRoot = mkdtempSync(join(tmpdir(), 'sys-'));
after(() => rmSync(sysRoot, { recursive: true }));

/** A disk in sysfs: a folder below `devices`, and a link to it. */
function writeDisk(path: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  const folder = join(sysRoot, 'devices', path);
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
  symlinkSync('../../../../class/block', join(folder, 'subsystem'));
  mkdirSync(join(sysRoot, 'block'), { recursive: true });
  symlinkSync(folder, join(sysRoot, 'block', path.slice(path.lastIndexOf('/') + 1)));
}

const rotational = { 'queue/rotational': '1\n' };
writeDisk('pci0000:00/0000:00:02.0/virtio1/block/vda', {
  ...rotational,
  size: '41943040\n',
  dev: '254:0\n',
  ro: '0\n',
  serial: 'disk-1',
  'device/modalias': 'virtio:d00000002v00001AF4\n',
});
writeDisk('pci0000:00/0000:00:04.0/nvme/nvme0/nvme0n1', {
  size: '2048\n',
  dev: '259:0\n',
  ro: '1\n',
  uuid: 'b1a5\n',
  wwid: 'eui.0025\n',
  'device/model': 'SAMSUNG MZ              \n',
  'device/serial': 'S4  \n',
  'device/firmware_rev': 'GXA7\n',
  'queue/logical_block_size': '4096\n',
  'queue/minimum_io_size': '4096\n',
  'queue/optimal_io_size': '131072\n',
  'queue/rotational': '0\n',
});
writeDisk('pci0000:00/ata1/host0/target0:0:0/0:0:0:0/block/sda', {
  size: '8\n',
  dev: '8:0\n',
  ro: '0\n',
  'queue/rotational': '0\n',
  'device/wwid': 'naa.5000\n',
  'device/vpd_pg80': Buffer.from([0, 0x80, 0, 4, 0x57, 0x44, 0x31, 0x20]),
});
writeDisk('pci0000:00/ata2/host1/target1:0:0/1:0:0:0/block/sr0', {
  ...rotational,
  size: '16\n',
  dev: '11:0\n',
});
writeDisk('platform/mmc0/mmc0:0001/block/mmcblk0', {
  size: '24\n',
  dev: '179:0\n',
  'queue/rotational': '0\n',
});
// Devices that are left out: empty ones, ram disks, a hidden part of a logical volume, an invalid size.
writeDisk('virtual/block/loop0', { size: '0\n', dev: '7:0\n' });
writeDisk('virtual/block/ram0', { size: '8192\n', dev: '1:0\n' });
writeDisk('virtual/block/dm-1', { size: '8\n', dev: '253:1\n', 'dm/uuid': `LVM-${'a'.repeat(64)}-real\n` });
writeDisk('virtual/block/zram0', { size: 'many\n', dev: '252:0\n' });

test('readDisks() reads each disk from sysfs, and leaves out those without content', () => {
  const nothing = {
    ...{ model: '', serial: '', modalias: '', uuid: '', wwid: '', firmwareVersion: '', isReadOnly: false },
    ...{ isRotational: false, sectorBytes: 512, ioBytes: 512 },
  };
  const shared = { ...nothing, subsystem: '/sys/class/block' };
  const disks = readDisks(sysRoot);
  assert.deepEqual(
    disks.map(({ devicePath }) => devicePath),
    disks.map(({ name }) => `/dev/${name}`),
  );
  const withoutPath = disks.map(({ devicePath: _, ...disk }) => disk);
  assert.deepEqual(withoutPath, [
    {
      ...shared,
      name: 'mmcblk0',
      sizeBytes: 12288n,
      kind: 'sd',
      transport: 'mmc',
      busPath: '/platform/mmc0/mmc0:0001/',
    },
    {
      ...shared,
      name: 'nvme0n1',
      sizeBytes: 1048576n,
      kind: 'nvme',
      transport: 'nvme',
      firmwareVersion: 'GXA7',
      sectorBytes: 4096,
      ioBytes: 131072,
      model: 'SAMSUNG MZ',
      serial: 'S4',
      uuid: 'b1a5',
      wwid: 'eui.0025',
      busPath: '/pci0000:00/0000:00:04.0/nvme/nvme0/',
      isReadOnly: true,
    },
    {
      ...shared,
      name: 'sda',
      sizeBytes: 4096n,
      kind: 'ssd',
      transport: 'sata',
      serial: 'WD1',
      wwid: 'naa.5000',
      busPath: '/pci0000:00/ata1/host0/target0:0:0/0:0:0:0/',
    },
    {
      ...shared,
      name: 'sr0',
      sizeBytes: 8192n,
      kind: 'cd',
      transport: 'sata',
      isRotational: true,
      busPath: '/pci0000:00/ata2/host1/target1:0:0/1:0:0:0/',
    },
    {
      ...shared,
      name: 'vda',
      sizeBytes: 21474836480n,
      kind: 'hdd',
      transport: 'virtio',
      isRotational: true,
      serial: 'disk-1',
      modalias: 'virtio:d00000002v00001AF4',
      busPath: '/pci0000:00/0000:00:02.0/virtio1/',
    },
  ]);
});

test('diskTransport() uses the name, then the class of the host, then the path', () => {
  const path = (host: string) => `/sys/devices/pci0000:00/${host}/target0:0:0/0:0:0:0/block/sda`;
  const rows: [name: string, path: string, hostClass: string, transport: string][] = [
    ['vda', '/sys/devices/virtio1/block/vda', '', 'virtio'],
    ['sda', path('host0'), 'sas_host/host0', 'sas'],
    ['sda', path('host0'), 'fc_host/host0', 'fc'],
    ['sda', path('host0'), 'iscsi_host/host0', 'iscsi'],
    ['sda', path('usb1/1-1/host0'), '', 'usb'],
    ['sda', path('ata1/host0'), 'fc_host/host1', 'sata'],
    ['sda', path('host0'), '', 'scsi'],
    ['loop0', '/sys/devices/virtual/block/loop0', '', ''],
  ];
  for (const [name, at, hostClass, transport] of rows) {
    assert.equal(
      diskTransport(name, at, (asked) => asked === hostClass),
      transport,
    );
  }
});

test('readDisks() finds no disk without sysfs', () => {
  assert.deepEqual(readDisks(join(sysRoot, 'missing')), []);
});

test('readDisks() agrees with the partition table of this machine', () => {
  const kernel = new Map(
    readFileSync('/proc/partitions', 'utf8')
      .trim()
      .split('\n')
      .slice(2)
      .map((line) => line.trim().split(/\s+/))
      .map(([, , kib, name]) => [name as string, BigInt(kib as string) * 1024n]),
  );
  const whole = readdirSync('/sys/block').filter((name) => !name.startsWith('ram') && kernel.has(name));
  assert.deepEqual(
    readDisks()
      .filter(({ name }) => whole.includes(name))
      .map(({ name, sizeBytes }) => [name, (sizeBytes / 1024n) * 1024n]),
    whole
      .sort()
      .filter((name) => kernel.get(name) !== 0n)
      .map((name) => [name, kernel.get(name)]),
  );
});

test('readDisks() lists an NVMe disk with several paths once, and not its paths, which have no device file', () => {
  const root = mkdtempSync(join(tmpdir(), 'sys-nvme-'));
  try {
    for (const [name, hidden] of [
      ['nvme0n1', '0\n'],
      ['nvme0c0n1', '1\n'],
      ['nvme0c1n1', '1\n'],
    ] as const) {
      mkdirSync(join(root, 'block', name), { recursive: true });
      for (const [file, content] of Object.entries({ hidden, size: '2048\n', wwid: 'eui.1\n' }))
        writeFileSync(join(root, 'block', name, file), content);
    }
    assert.deepEqual(
      readDisks(root).map(({ name }) => name),
      ['nvme0n1'],
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});
