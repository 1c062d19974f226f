import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import { machine, storage } from '../wire/methods.ts';
import { compareBytes, only } from './expect.ts';

/** Every counter of the total must be the sum of the devices'. */
function assertSums<T extends object>(total: T | undefined, devices: readonly T[]): void {
  assert.ok(total !== undefined, 'the reply has no total');
  for (const [field, value] of Object.entries(total)) {
    if (typeof value !== 'bigint') continue;
    const added = devices.reduce(
      (all, device) => all + BigInt(Object.entries(device).find(([name]) => name === field)?.[1]),
      0n,
    );
    assert.equal(value, added, `total.${field}`);
  }
}

export const deviceChecks = [
  ...checksOf(machine.diskStats, {
    'disk-stats.devices': [
      'the reply has one device per line of /proc/diskstats',
      async (subject) => {
        const { devices } = only(await subject.admin.unary(machine.diskStats, {}));
        const lines = (await subject.readFile('/proc/diskstats')).toString().split('\n');
        const fields = lines.map((line) => line.trim().split(/\s+/)).filter(({ length }) => length >= 18);
        assert.deepEqual(devices.map(({ name }) => name).sort(), fields.map(([, , name]) => name).sort());
      },
    ],
    'disk-stats.total': [
      'total is the sum of disks and partitions, and has no name',
      async ({ admin }) => {
        const { devices, total } = only(await admin.unary(machine.diskStats, {}));
        assertSums(total, devices);
        assert.equal(total?.name, '');
      },
    ],
    'disk-stats.sectors': [
      "sectors have 512 bytes and times are in milliseconds, as in the kernel's file",
      async (subject) => {
        const read = async () => {
          const lines = (await subject.readFile('/proc/diskstats')).toString().split('\n');
          return new Map(lines.map((line) => line.trim().split(/\s+/)).map((words) => [words[2], words]));
        };
        const before = await read();
        const { devices } = only(await subject.admin.unary(machine.diskStats, {}));
        const after = await read();
        for (const { name, readSectors, writeSectors, writeTimeMs } of devices) {
          for (const [column, value] of [
            [5, readSectors],
            [9, writeSectors],
            [10, writeTimeMs],
          ] as const) {
            const [low, high] = [before, after].map((lines) => BigInt(lines.get(name)?.[column] ?? 0));
            assert.ok(value >= (low ?? 0n) && value <= (high ?? 0n), `${name} column ${column}: ${value}`);
          }
        }
      },
    ],
  }),
  ...checksOf(machine.networkDeviceStats, {
    'network-stats.devices': [
      'the reply has one device per line of /proc/net/dev, including lo',
      async (subject) => {
        const { devices } = only(await subject.admin.unary(machine.networkDeviceStats, {}));
        const text = (await subject.readFile('/proc/net/dev')).toString();
        const names = [...text.matchAll(/^\s*([^\s|:]+):/gm)].map(([, name = '']) => name);
        assert.ok(names.includes('lo'));
        assert.deepEqual(devices.map(({ name }) => name).sort(), names.sort());
      },
    ],
    'network-stats.total': [
      'total is the sum of all devices, and its name lists their names in order',
      async ({ admin }) => {
        const { devices, total } = only(await admin.unary(machine.networkDeviceStats, {}));
        assertSums(total, devices);
        const names = devices.map(({ name }) => name).sort(compareBytes);
        assert.equal(total?.name, names.join(', '));
      },
    ],
  }),
  ...checksOf(storage.disks, {
    'disks.names': [
      'each disk is listed once, with a path below /dev/',
      async ({ admin }) => {
        const { disks } = only(await admin.unary(storage.disks, {}));
        const names = disks.map(({ deviceName }) => deviceName);
        assert.equal(new Set(names).size, names.length);
        for (const name of names) assert.match(name, /^\/dev\/[^/].*$/);
      },
    ],
    'disks.sizes': [
      'size is in bytes: 512 times the number in /sys/block',
      async (subject) => {
        const { disks } = only(await subject.admin.unary(storage.disks, {}));
        for (const { deviceName, size } of disks) {
          const name = deviceName.slice('/dev/'.length).replaceAll('/', '!');
          const sectors = BigInt((await subject.readFile(`/sys/block/${name}/size`)).toString().trim());
          assert.equal(size, sectors * 512n, deviceName);
        }
      },
    ],
    'disks.types': [
      'type is a value that clients know',
      async ({ admin }) => {
        const { disks } = only(await admin.unary(storage.disks, {}));
        assert.ok(disks.every(({ type }) => type >= 0 && type <= 5));
      },
    ],
  }),
];
