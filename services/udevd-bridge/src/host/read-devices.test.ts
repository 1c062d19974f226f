import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { readDevices, type SysfsDevice } from './read-devices.ts';
import { parseUdevRecord, readUdevRecord, recordName } from './udev-record.ts';

const root = mkdtempSync(join(tmpdir(), 'sysfs-'));
after(() => rmSync(root, { recursive: true }));
const [sysRoot, udevData] = [join(root, 'sys'), join(root, 'data')];

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Makes a device, and the link to it from its subsystem. */
function device(
  path: string,
  subsystem: string,
  facts: string,
  files: Readonly<Record<string, string>> = {},
): void {
  const folder = join(sysRoot, path);
  write(join(folder, 'uevent'), facts);
  for (const [name, content] of Object.entries(files)) write(join(folder, name), content);
  mkdirSync(join(sysRoot, subsystem), { recursive: true });
  symlinkSync(relative(folder, join(sysRoot, subsystem)), join(folder, 'subsystem'));
  symlinkSync(
    folder,
    join(
      sysRoot,
      subsystem,
      ...(subsystem.startsWith('bus/') ? ['devices'] : []),
      path.split('/').at(-1) ?? '',
    ),
  );
}

mkdirSync(join(sysRoot, 'bus/pci/devices'), { recursive: true });
const pci = 'devices/pci0000:00/0000:00:04.0';
device(pci, 'bus/pci', 'DRIVER=virtio-pci\nMODALIAS=pci:v1\n', {
  class: '0x010000\n',
  vendor: '0x1af4\n',
  device: '0x1042\n',
});
symlinkSync('../../../bus/pci/drivers/virtio-pci', join(sysRoot, pci, 'driver'));
device(`${pci}/block/vda`, 'class/block', 'MAJOR=254\nMINOR=0\nDEVNAME=vda\nDEVTYPE=disk\n', {
  size: '2048\n',
  serial: 'abc\n',
});
device(
  `${pci}/block/vda/vda1`,
  'class/block',
  'MAJOR=254\nMINOR=1\nDEVNAME=vda1\nDEVTYPE=partition\nPARTN=1\n',
  {
    ...{ partition: '1\n', size: '1024\n', start: '34\n' },
  },
);
mkdirSync(join(sysRoot, 'block'));
symlinkSync(join(sysRoot, `${pci}/block/vda`), join(sysRoot, 'block/vda'));
device('devices/virtual/net/veth0', 'class/net', 'INTERFACE=veth0\nIFINDEX=7\n');
// A link to elsewhere, as a hostile container could mount one, and a device that disappears.
symlinkSync('/etc', join(sysRoot, 'class/net/etc'));
symlinkSync('../../devices/virtual/net/gone', join(sysRoot, 'class/net/gone'));
write(
  join(udevData, 'b254:1'),
  'S:disk/by-uuid/1-2\nS:disk/by-label/A\nI:123\nE:ID_FS_TYPE=xfs\nG:systemd\nQ:systemd\nV:1\n',
);
write(join(udevData, 'n7'), 'E:ID_NET_NAME=veth0\n');

const hardware = {
  ...{ driver: 'veth', driverVersion: '1.0', firmwareVersion: '', busPath: '' },
  ...{ pciId: '', vendorId: '', productId: '' },
};
const linkHardware = (name: string) => (name === 'veth0' ? hardware : undefined);

async function read(subsystems?: readonly string[]): Promise<SysfsDevice[]> {
  const wanted = subsystems && new Set(subsystems);
  return await Array.fromAsync(readDevices({ sysRoot, udevData, linkHardware }, wanted));
}

test('every device is listed once, after the one above it, with its parent and driver', async () => {
  const shown = (await read()).map(({ path, subsystem, parentPath, driver }) => [
    path,
    subsystem,
    parentPath,
    driver,
  ]);
  assert.deepEqual(shown, [
    [`/${pci}`, 'pci', '', 'virtio-pci'],
    [`/${pci}/block/vda`, 'block', `/${pci}`, ''],
    [`/${pci}/block/vda/vda1`, 'block', `/${pci}/block/vda`, ''],
    ['/devices/virtual/net/veth0', 'net', '', ''],
  ]);
});

test('only the subsystems that were asked for are read', async () => {
  const names = async (...subsystems: string[]) => (await read(subsystems)).map(({ name }) => name);
  assert.deepEqual(await names('net'), ['veth0']);
  assert.deepEqual(await names('pci', 'block'), ['0000:00:04.0', 'vda', 'vda1']);
  assert.deepEqual(await names('usb'), []);
});

test('disks, partitions, PCI devices and links have their details, and all devices what udevd has recorded', async () => {
  const [bridge, disk, partition, link] = await read();
  assert.deepEqual(
    [bridge?.pci?.vendorId, bridge?.pci?.productId, bridge?.udev],
    [0x1af4, 0x1042, undefined],
  );
  assert.deepEqual([disk?.block?.device.sizeBytes, disk?.block?.disk?.serial], [1_048_576, 'abc']);
  assert.deepEqual([partition?.block?.device.parent, partition?.block?.disk], ['vda', undefined]);
  assert.deepEqual(partition?.udev, {
    properties: Object.assign(Object.create(null), { ID_FS_TYPE: 'xfs' }),
    links: ['/dev/disk/by-label/A', '/dev/disk/by-uuid/1-2'],
    tags: ['systemd'],
    initializedUsec: 123,
  });
  assert.equal(link?.udev?.properties.ID_NET_NAME, 'veth0');
  assert.deepEqual([link?.link, disk?.link], [hardware, undefined]);
});

test('without sysfs there are no devices', async () => {
  assert.deepEqual(
    await Array.fromAsync(readDevices({ sysRoot: join(root, 'none'), udevData, linkHardware }, undefined)),
    [],
  );
});

test('records are named by numbers, by the index of a link, or by subsystem and name', () => {
  const name = (subsystem: string, facts: Readonly<Record<string, string>>) =>
    recordName({ subsystem, name: 'x', properties: new Map(Object.entries(facts)) });
  assert.deepEqual(
    [
      name('block', { MAJOR: '8', MINOR: '1' }),
      name('tty', { MAJOR: '4', MINOR: '64' }),
      name('net', { IFINDEX: '3' }),
      name('pci', {}),
    ],
    ['b8:1', 'c4:64', 'n3', '+pci:x'],
  );
});

test('a record that exists and cannot be read is no missing record', () => {
  mkdirSync(join(udevData, 'n8'));
  const link = (index: string) => ({
    subsystem: 'net',
    name: 'veth1',
    properties: new Map([['IFINDEX', index]]),
  });
  assert.throws(() => readUdevRecord(udevData, link('8')), { code: 'EISDIR' });
  assert.equal(readUdevRecord(udevData, link('9')), undefined);
});

test('a damaged record gives what can be read of it', () => {
  const { properties, links, tags, initializedUsec } = parseUdevRecord(
    'E:=x\nE:__proto__=y\nI:x\nS:\0\nG\nnonsense',
  );
  assert.deepEqual(
    [Object.entries(properties), links, tags, initializedUsec],
    [[['__proto__', 'y']], ['/dev/\0'], [], 0],
  );
});
