import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultKind } from '@nodewright/fault';
import type { BlockDevice } from '@nodewright/linux';
import fc from 'fast-check';
import { type DeviceFacts, type DeviceWipeWish, planDeviceWipes } from './plan-device-wipes.ts';

const device = (name: string, more: Partial<BlockDevice> = {}): BlockDevice => ({
  ...{ name, type: 'disk', major: 8, minor: 0, partitionName: '', partitionNumber: 0, parent: '' },
  ...{ sysPath: `/sys/devices/x/${name}`, secondaries: [], offsetBytes: 0, sizeBytes: 1 << 30 },
  ...more,
});
const partition = (parent: string, partitionNumber: number, partitionName = ''): BlockDevice =>
  device(`${parent}${partitionNumber}`, {
    ...{ type: 'partition', parent, partitionNumber, partitionName },
    ...{ offsetBytes: 1 << 20, sizeBytes: 1 << 20 },
  });

const facts: DeviceFacts = {
  devices: [
    ...[
      device('vda'),
      partition('vda', 1, 'EFI'),
      partition('vda', 2),
      partition('vda', 5),
      device('vdb'),
      partition('vdb', 1),
    ],
    ...[device('vdc'), device('vdd'), partition('vdd', 1), device('md0', { secondaries: ['vdd1'] })],
    ...[device('sr0'), device('sdz', { sizeBytes: 0 }), device('vde'), partition('vde', 1)],
  ],
  disks: [
    ...['vda', 'vdb', 'vdd', 'vde', 'md0'].map((name) => ({ name, kind: 'hdd' as const, isReadOnly: false })),
    { name: 'vdc', kind: 'ssd', isReadOnly: true },
    { name: 'sr0', kind: 'cd', isReadOnly: false },
  ],
  volumes: [
    { id: 'META', location: '/dev/vda2', parentLocation: '/dev/vda' },
    { id: 'LOG', location: '', parentLocation: '' },
  ],
  systemDisk: '/dev/vda',
  mounts: [{ source: '/dev/vde1', mountPoint: '/mnt' }],
};

const wish = (name: string, more: Partial<DeviceWipeWish> = {}): DeviceWipeWish => ({
  ...{
    device: name,
    method: 'fast',
    skipVolumeCheck: false,
    skipSecondaryCheck: false,
    dropPartition: false,
    sparesSystemDisk: false,
  },
  ...more,
});
const drop = { dropPartition: true };

test('a disk loses its partitions, and a partition its entry if that is asked for', () => {
  assert.deepEqual(planDeviceWipes([wish('vdb')], facts), [
    {
      ...{ name: 'vdb', path: '/dev/vdb', sysPath: '/sys/devices/x/vdb', sizeBytes: 1 << 30, method: 'fast' },
      ...{ partitions: [1], dropped: undefined },
    },
  ]);
  const [whole, dropped] = planDeviceWipes([wish('vda5', { method: 'zeroes' }), wish('vdb1', drop)], facts);
  assert.deepEqual([whole?.method, whole?.partitions, whole?.dropped], ['zeroes', [], undefined]);
  assert.deepEqual(dropped?.dropped, {
    ...{ disk: '/dev/vdb', diskBytes: 1 << 30, number: 1 },
    ...{ offsetBytes: 1 << 20, sizeBytes: 1 << 20 },
  });
  assert.deepEqual(planDeviceWipes([], facts), []);
});

const refusals: readonly [DeviceWipeWish | readonly DeviceWipeWish[], FaultKind, RegExp][] = [
  [wish(''), 'invalid-argument', /is empty$/],
  [wish('/dev/vdb'), 'invalid-argument', /"\/dev\/vdb" is a path: name the block device alone, such as vdb$/],
  [wish('vdb', drop), 'invalid-argument', /"vdb" is a whole disk and no partition/],
  [[wish('vdb'), wish('vdb')], 'invalid-argument', /"vdb" is listed twice$/],
  [[wish('vdb1'), wish('vdb')], 'invalid-argument', /"vdb1" is a partition of "vdb"/],
  [wish('vdx'), 'not-found', /^there is no block device "vdx"$/],
  [wish('vdc'), 'failed-precondition', /"vdc" is read-only$/],
  [wish('sr0'), 'failed-precondition', /"sr0" is a CD-ROM$/],
  [wish('sdz'), 'failed-precondition', /"sdz" has no medium$/],
  [wish('vdd1'), 'failed-precondition', /"vdd1" is in use by block device "md0"/],
  [wish('vdd'), 'failed-precondition', /"vdd" is in use by block device "md0"/],
  [wish('vda2'), 'failed-precondition', /"vda2" is in use by volume "META"$/],
  [wish('vda'), 'failed-precondition', /"vda" is in use by volume "META"$/],
  [wish('vda1'), 'failed-precondition', /"vda1" is the partition EFI, from which this machine starts$/],
  [wish('vde1'), 'failed-precondition', /"vde1" is mounted at "\/mnt"$/],
  [wish('vde'), 'failed-precondition', /"vde" is mounted at "\/mnt" \(\/dev\/vde1\)$/],
];

for (const [wishes, kind, message] of refusals) {
  test(`a wipe is refused: ${message.source}`, () => {
    assert.throws(
      () => planDeviceWipes([wishes].flat(), facts),
      (error: Fault) => error instanceof Fault && error.kind === kind && message.test(error.message),
    );
  });
}

test('the checks of volumes and of other devices can be skipped, and no other', () => {
  const skip = { skipVolumeCheck: true, skipSecondaryCheck: true };
  for (const name of ['vda', 'vda1', 'vda2', 'vdd', 'vdd1'])
    assert.equal(planDeviceWipes([wish(name, skip)], facts)[0]?.name, name);
  for (const name of ['vdc', 'sr0', 'sdz', 'vde', 'vde1', 'vdx'])
    assert.throws(() => planDeviceWipes([wish(name, skip)], facts), Fault);
});

test('each of these two checks is skipped by its own flag alone', () => {
  const outcome = (name: string, changes: Partial<DeviceWipeWish>) => {
    try {
      return planDeviceWipes([wish(name, changes)], facts)[0]?.name;
    } catch (error) {
      return (error as Fault).message;
    }
  };
  const held = 'block device "vdd1" is in use by block device "md0": remove that one first';
  const used = 'block device "vda2" is in use by volume "META"';
  assert.deepEqual(
    ['vdd1', 'vda2'].flatMap((name) => [
      outcome(name, { skipSecondaryCheck: true }),
      outcome(name, { skipVolumeCheck: true }),
    ]),
    ['vdd1', held, used, 'vda2'],
  );
});

test('the system disk and its partitions META, STATE and EPHEMERAL are kept before any volume is known', () => {
  const labels = ['META', 'STATE', 'EPHEMERAL', 'EFI', 'BIOS', 'BOOT'];
  const devices = [device('vda'), ...labels.map((label, index) => partition('vda', index + 1, label))];
  const early = { ...facts, devices, volumes: [] };
  for (const { name } of devices)
    assert.throws(() => planDeviceWipes([wish(name)], early), {
      kind: 'failed-precondition',
      message: /of this machine|this machine starts/,
    });
});

test('a wipe that spares the system disk touches none of its partitions, whatever their labels, and nothing built on them', () => {
  const built = [device('md1', { secondaries: ['vda5'] }), device('dm-0', { secondaries: ['md1'] })];
  const devices = [...facts.devices, partition('vda', 6, 'u-data'), ...built, partition('md1', 1)];
  const disks = [...facts.disks, { name: 'md1', kind: 'hdd', isReadOnly: false }];
  const now = { ...facts, devices, disks };
  const skip = { skipVolumeCheck: true, skipSecondaryCheck: true };
  for (const more of [{}, drop, skip])
    for (const name of ['vda5', 'vda6'])
      assert.throws(() => planDeviceWipes([wish(name, { ...more, sparesSystemDisk: true })], now), {
        kind: 'failed-precondition',
        message: `block device "${name}" is on the system disk of this machine: only a certificate with os:admin may wipe it`,
      });
  for (const name of ['vda', 'vda1', 'vda2', 'md1', 'md11', 'dm-0'])
    assert.throws(() => planDeviceWipes([wish(name, { ...skip, sparesSystemDisk: true })], now), {
      kind: 'failed-precondition',
      message: /of this machine/,
    });
  // What else would refuse it must not hide that an administrator may, nor may it refuse another disk.
  for (const name of ['vda6', 'dm-0']) assert.equal(planDeviceWipes([wish(name)], now)[0]?.name, name);
  assert.equal(planDeviceWipes([wish('vdb1', { sparesSystemDisk: true })], now)[0]?.name, 'vdb1');
});

test('a label of the system disk means nothing on another disk', () => {
  const devices = [...facts.devices, partition('vdb', 2, 'EFI')];
  assert.equal(planDeviceWipes([wish('vdb2')], { ...facts, devices })[0]?.name, 'vdb2');
});

test('whatever is asked for, only devices that nothing uses are wiped, or none', () => {
  const names = fc.constantFrom(...facts.devices.map(({ name }) => name), 'vdx', '');
  const wishes = fc.array(
    fc.record({
      ...{ device: names, method: fc.constantFrom('fast' as const, 'zeroes' as const) },
      ...{ skipVolumeCheck: fc.boolean(), skipSecondaryCheck: fc.boolean(), dropPartition: fc.boolean() },
      sparesSystemDisk: fc.boolean(),
    }),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(wishes, (asked) => {
      try {
        const plans = planDeviceWipes(asked, facts);
        assert.deepEqual(
          plans.map(({ name }) => name),
          asked.map(({ device }) => device),
        );
        for (const [index, { name, dropped }] of plans.entries()) {
          assert.ok(
            ['vda', 'vda1', 'vda2', 'vda5', 'vdb', 'vdb1', 'vdd', 'vdd1', 'md0'].includes(name),
            name,
          );
          assert.equal(dropped !== undefined, asked[index]?.dropPartition);
          if (['vda', 'vda1', 'vda2'].includes(name)) assert.equal(asked[index]?.skipVolumeCheck, true);
          if (name.startsWith('vda')) assert.equal(asked[index]?.sparesSystemDisk, false);
        }
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
      }
    }),
  );
});
