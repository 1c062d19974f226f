import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { readBlockDevices, readPartitionPlace } from './read-block-devices.ts';
import { readPciDevices } from './read-pci-devices.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sys-')));
after(() => rmSync(root, { recursive: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function link(target: string, path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(target, join(root, path));
}

const vda = 'devices/pci0000:00/virtio1/block/vda';
write(`${vda}/uevent`, 'MAJOR=254\nMINOR=0\nDEVNAME=vda\nDEVTYPE=disk\n');
write(`${vda}/size`, '2048\n');
write(`${vda}/vda1/uevent`, 'MAJOR=254\nMINOR=1\nDEVTYPE=partition\nPARTN=1\nPARTNAME=EFI\n');
write(`${vda}/vda1/partition`, '1\n');
write(`${vda}/vda1/start`, '64\n');
write(`${vda}/vda1/size`, '512\n');
write(`${vda}/queue/rotational`, '1\n');
write('devices/virtual/block/dm-0/uevent', 'MAJOR=253\nMINOR=0\nDEVTYPE=disk\n');
mkdirSync(join(root, 'devices/virtual/block/dm-0/slaves/vda1'), { recursive: true });
link(join(root, vda), 'block/vda');
link(join(root, 'devices/virtual/block/dm-0'), 'block/dm-0');
// A device that is removed during the read.
link(join(root, 'devices/gone'), 'block/sdz');

test('readBlockDevices() finds disks with their partitions, and the devices below each device', () => {
  const none = { partitionName: '', partitionNumber: 0, parent: '', secondaries: [], offsetBytes: 0 };
  assert.deepEqual(readBlockDevices(root), [
    {
      ...none,
      ...{ name: 'dm-0', type: 'disk', major: 253, minor: 0, secondaries: ['vda1'], sizeBytes: 0 },
      sysPath: join(root, 'devices/virtual/block/dm-0'),
    },
    {
      ...none,
      ...{ name: 'vda', type: 'disk', major: 254, minor: 0, sizeBytes: 1_048_576 },
      sysPath: join(root, vda),
    },
    {
      ...{ name: 'vda1', type: 'partition', major: 254, minor: 1, partitionName: 'EFI', partitionNumber: 1 },
      ...{ parent: 'vda', secondaries: [], offsetBytes: 32_768, sizeBytes: 262_144 },
      sysPath: join(root, vda, 'vda1'),
    },
  ]);
  assert.deepEqual(readBlockDevices(join(root, 'missing')), []);
});

test('readPartitionPlace() says where the kernel takes a partition to be, and nothing of disks and unknown partitions', () => {
  link(join(root, vda), 'class/block/vda');
  link(join(root, vda, 'vda1'), 'class/block/vda1');
  assert.deepEqual(readPartitionPlace('vda1', root), { offsetBytes: 32_768, sizeBytes: 262_144 });
  for (const name of ['vda', 'vda2']) assert.equal(readPartitionPlace(name, root), undefined);
});

test('readPciDevices() reads numbers and drivers', () => {
  write('bus/pci/devices/0000:00:1f.2/class', '0x010601\n');
  write('bus/pci/devices/0000:00:1f.2/vendor', '0x8086\n');
  write('bus/pci/devices/0000:00:1f.2/device', '0x2922\n');
  link('../../../bus/pci/drivers/ahci', 'bus/pci/devices/0000:00:1f.2/driver');
  mkdirSync(join(root, 'bus/pci/devices/0000:00:02.0'));
  assert.deepEqual(readPciDevices(root), [
    {
      ...{ address: '0000:00:1f.2', classId: 1, subclassId: 6, vendorId: 0x8086, productId: 0x2922 },
      driver: 'ahci',
    },
  ]);
});
