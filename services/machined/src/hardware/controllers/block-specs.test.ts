import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockDevice, BlockDisk } from '@nodewright/linux';
import { decimalSize } from '../../base/domain/decimal-size.ts';
import { discoveredVolumeSpec, systemDiskOf } from './discovered-volume-spec.ts';
import { diskSpec } from './disk-spec.ts';
import { showDevices } from './show-devices.ts';

const device = (name: string, more: Partial<BlockDevice> = {}): BlockDevice => ({
  ...{ name, type: 'disk', major: 8, minor: 0, partitionName: '', partitionNumber: 0, parent: '' },
  ...{ sysPath: `/sys/devices/x/${name}`, secondaries: [], offsetBytes: 0, sizeBytes: 1000 },
  ...more,
});

test('decimalSize() writes readable sizes', () => {
  const rows: [number, string][] = [
    [0, '0 B'],
    [512, '512 B'],
    [1000, '1.0 kB'],
    [9949, '9.9 kB'],
    [9950, '10 kB'],
    [20_500, '20 kB'],
    [21_500, '22 kB'],
    [20_283_654_144, '20 GB'],
    [274_877_906_944, '275 GB'],
    [4e18, '4.0 EB'],
  ];
  for (const [bytes, expected] of rows) assert.equal(decimalSize(bytes), expected);
});

test('showDevices() increases the generation of a device after an event or a replacement, and of no other', () => {
  const generations = (shown: ReturnType<typeof showDevices>) =>
    [...shown].map(([name, { generation }]) => `${name} ${generation}`);
  const first = showDevices(new Map(), [device('sda'), device('sdb')], undefined);
  assert.deepEqual(generations(first), ['sda 1', 'sdb 1']);
  const same = showDevices(first, [device('sda'), device('sdb')], new Set());
  assert.equal(same.get('sda'), first.get('sda'));
  const events = showDevices(same, [device('sda'), device('sdb', { minor: 16 })], new Set(['sda']));
  assert.deepEqual(generations(events), ['sda 2', 'sdb 2']);
  const lost = showDevices(events, [device('sdb', { minor: 16 }), device('sdc')], undefined);
  assert.deepEqual(generations(lost), ['sdb 3', 'sdc 1']);
});

const disk: BlockDisk = {
  ...{
    name: 'dm-0',
    devicePath: '/dev/dm-0',
    sizeBytes: 20_283_654_144n,
    kind: 'ssd',
    model: '',
    serial: '',
  },
  ...{ modalias: '', uuid: '', wwid: '', busPath: '', subsystem: '/sys/class/block', isReadOnly: false },
  ...{ isRotational: false, sectorBytes: 512, ioBytes: 512, firmwareVersion: '', transport: '' },
};

test('diskSpec() names the disks below a device, also through partitions', () => {
  const specs = showDevices(
    new Map(),
    [
      device('dm-0', { secondaries: ['vda1', 'vda2', 'vdb'] }),
      device('vda'),
      ...['vda1', 'vda2'].map((name) => device(name, { type: 'partition', parent: 'vda' })),
    ],
    undefined,
  );
  const spec = diskSpec(disk, ['/dev/disk/by-id/x'], specs);
  assert.deepEqual(
    [spec.secondary_disks, spec.symlinks, spec.size, spec.pretty_size],
    [['vda', 'vdb'], ['/dev/disk/by-id/x'], 20_283_654_144, '20 GB'],
  );
});

test("discoveredVolumeSpec() shows what udev knows about a partition, in upstream's terms", () => {
  const partition = device('vda4', {
    ...{
      type: 'partition',
      parent: 'vda',
      partitionName: 'EPHEMERAL',
      partitionNumber: 4,
      offsetBytes: 4096,
    },
  });
  const record = new Map(
    Object.entries({
      ...{ ID_FS_TYPE: 'ext4', ID_FS_UUID: 'u-1', ID_FS_LABEL: 'a_b', ID_FS_LABEL_ENC: 'a\\x20b' },
      ...{ ID_FS_BLOCKSIZE: '4096', ID_FS_SIZE: '999', ID_PART_ENTRY_UUID: 'p-1', ID_PART_ENTRY_TYPE: 't-1' },
      ID_PART_TABLE_TYPE: 'gpt',
    }),
  );
  assert.deepEqual(discoveredVolumeSpec(partition, record, disk), {
    ...{ dev_path: '/dev/vda4', type: 'partition', device_path: '/sys/devices/x/vda4', parent: 'vda' },
    ...{ parent_dev_path: '/dev/vda', offset: 4096, size: 1000, pretty_size: '1.0 kB' },
    ...{ sector_size: 512, io_size: 512, name: 'extfs', uuid: 'u-1', label: 'a b', block_size: 0 },
    ...{ filesystem_block_size: 4096, probed_size: 999, partition_uuid: 'p-1', partition_type: 't-1' },
    ...{ partition_label: 'EPHEMERAL', partition_index: 4 },
  });
});

test('discoveredVolumeSpec() shows a partition table, and nothing for a device that udev does not know', () => {
  const table = new Map([
    ['ID_PART_TABLE_TYPE', 'gpt'],
    ['ID_PART_TABLE_UUID', 't-1'],
  ]);
  const { name, uuid, parent_dev_path } = discoveredVolumeSpec(device('vda'), table, disk);
  assert.deepEqual([name, uuid, parent_dev_path], ['gpt', 't-1', '']);
  const unknown = discoveredVolumeSpec(device('vdb'), new Map(), disk);
  assert.deepEqual([unknown.name, unknown.uuid, unknown.partition_label], ['', '', '']);
});

test('systemDiskOf() finds the disk with META that the node uses and ignores loop devices', () => {
  const volume = (partition_label: string, parent: string) => ({
    ...{ partition_label, parent, parent_dev_path: `/dev/${parent}` },
  });
  assert.deepEqual(systemDiskOf([volume('META', 'loop0'), volume('EFI', 'vda'), volume('META', 'vdb')]), {
    diskID: 'vdb',
    devPath: '/dev/vdb',
  });
  assert.equal(systemDiskOf([volume('META', 'loop0')]), undefined);
  const others = [volume('META', 'vda'), volume('META', 'vdb')];
  assert.deepEqual(systemDiskOf(others, '/dev/vdb'), { diskID: 'vdb', devPath: '/dev/vdb' });
  assert.equal(systemDiskOf(others, '/dev/vdc'), undefined);
});
