// Devices that are added to and removed from an emulated machine while it runs.
import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { guestNetwork } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import { noMachine as skip, startMachine } from '../machine.ts';
import { openWorkplace } from '../use-machine.ts';

const { folder, talosctl, succeeds, shows, generate, configures, trusted, machineDisk, ...workplace } =
  openWorkplace();
after(() => workplace[Symbol.dispose]());

const diskBytes = 64 * 2 ** 20;
/** An emulated machine waits five seconds before it lets a device go. */
const timeoutMs = 180_000;

function image(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, '');
  truncateSync(path, diskBytes);
  return path;
}

test('disks and a link that are added and removed while the machine runs are shown, and udevd names them', {
  skip,
}, async () => {
  await generate(
    'demo',
    '--config-patch-control-plane',
    JSON.stringify({ machine: { time: { disabled: true } } }),
  );
  const boot = { kind: 'kernel', words: [guestNetwork] } as const;
  await using machine = await startMachine({
    disk: machineDisk('machine.raw'),
    keepsDisk: true,
    slots: 3,
    boot,
  });
  await configures(machine, 'controlplane.yaml');
  const get = (...words: string[]) => [...trusted(machine), 'get', ...words];
  await shows([...trusted(machine), 'service', 'udevd-bridge'], /STATE +Running\n.*HEALTH +OK/, 240_000);
  await shows([...trusted(machine), 'service', 'udevd'], /STATE +Running\n.*HEALTH +OK/, 240_000);
  await shows(get('devicesourcestatus'), /devices +\d+ +true +udevd/);
  assert.match(await succeeds([...trusted(machine), 'logs', 'udevd-bridge']), /udevd started/);
  const isGone = async (kind: string, pattern: RegExp) =>
    await eventually(
      async () => {
        const { exitCode, output } = await talosctl(...get(kind));
        return exitCode === 0 && !pattern.test(output);
      },
      { what: `no ${pattern} in ${kind}`, timeoutMs },
    );

  await machine.order(`drive_add 0 if=none,id=disk0,format=raw,file=${image('virtio.raw')}`);
  await machine.order('device_add virtio-blk-pci,drive=disk0,serial=hot-virtio,bus=slot0,id=added0');
  await shows(get('disks'), /vdb .*virtio/, timeoutMs);
  await shows(get('disks', 'vdb', '-o', 'yaml'), /- \/dev\/disk\/by-id\/virtio-hot-virtio/, timeoutMs);

  await machine.order(`drive_add 0 if=none,id=disk1,format=raw,file=${image('nvme.raw')}`);
  await machine.order('device_add nvme,drive=disk1,serial=hot-nvme,bus=slot1,id=added1');
  await shows(get('disks'), /nvme0n1 .*nvme/, timeoutMs);
  assert.match(await succeeds(get('pcidevices')), /NVM|0x08/i);

  await machine.order('netdev_add user,id=net9,restrict=on');
  await machine.order(
    'device_add virtio-net-pci,netdev=net9,bus=slot2,id=added2,romfile=,mac=52:54:00:99:99:99',
  );
  await shows(get('links'), /52:54:00:99:99:99/, timeoutMs);

  for (const id of ['added0', 'added1', 'added2']) await machine.order(`device_del ${id}`);
  await isGone('disks', /vdb|nvme0n1/);
  await isGone('blockdevices', /vdb|nvme0n1/);
  await isGone('links', /52:54:00:99:99:99/);
  assert.doesNotMatch(await succeeds(get('devicesourcestatus', '-o', 'yaml')), /problem: \S/);
});
