// Devices that are added to and removed from an emulated machine while it runs; with KERNEL=full also on USB, which the usual kernel lacks.
import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { guestAddress, guestNetwork } from '@nodewright/provision/machine';
import { blockSymlinks, discoveredVolumes, disks, linkStatuses } from '@nodewright/state/kinds';
import { eventually } from '@nodewright/testkit';
import { noMachine as skip, startMachine } from '../machine.ts';
import { openWorkplace } from '../use-machine.ts';
import {
  type FollowedKind,
  type FollowedResources,
  followResources,
  openMachineClient,
} from './follow-resources.ts';

const { folder, succeeds, shows, generate, configures, trusted, machineDisk, ...workplace } = openWorkplace();
after(() => workplace[Symbol.dispose]());

const diskBytes = 64 * 2 ** 20;
/** An emulated machine waits five seconds before it lets a device go. */
const timeoutMs = 600_000;
const rounds = Number(process.env.RUNS || 5);
const mac = '52:54:00:99:99:99';
const hasUsb = process.env.KERNEL === 'full';
const ofDisk = [disks, discoveredVolumes, blockSymlinks] as const;
const devices: Readonly<Record<string, { bus: string; added: string; kinds: readonly FollowedKind[] }>> = {
  vdb: { bus: 'slot0', added: 'virtio-blk-pci,drive=vdb,serial=hot-virtio', kinds: ofDisk },
  nvme0n1: { bus: 'slot1', added: 'nvme,drive=nvme0n1,serial=hot-nvme', kinds: ofDisk },
  ...(hasUsb ? { sda: { bus: 'usb.0', added: 'usb-storage,drive=sda,serial=hot-usb', kinds: ofDisk } } : {}),
  link: {
    bus: 'slot2',
    added: `virtio-net-pci,netdev=net9,romfile=,mac=${mac}`,
    kinds: [linkStatuses],
  },
};

function image(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, '');
  truncateSync(path, diskBytes);
  return path;
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** What was seen of the resource `id`, in order. */
const lifeOf = ({ seen }: FollowedResources, { type }: { type: string }, id: string) =>
  seen.filter((change) => change.type === type && change.id === id);

/**
 * What to add to a time since the boot to get the time of the clock, in ms. The kernel lists both clocks.
 * Source: Linux, kernel/time/timer_list.c.
 */
function clockOffsetMs(timers: string): number {
  const [, nanoseconds] =
    /ktime_get_real\s[\s\S]*?\.offset:\s+(\d+) nsecs/.exec(timers) ??
    assert.fail('the kernel lists no clock');
  return Number(nanoseconds) / 1e6;
}

test('disks and a link that are added and removed while the machine runs are shown in order, and udevd names them', {
  skip,
}, async (t) => {
  const patch = JSON.stringify({ machine: { time: { disabled: true } } });
  await generate('demo', '--config-patch-control-plane', patch);
  const boot = { kind: 'kernel', words: [guestNetwork] } as const;
  const disk = machineDisk('machine.raw');
  await using machine = await startMachine({ disk, keepsDisk: true, slots: 3, hasUsb, boot });
  await configures(machine, 'controlplane.yaml');
  const get = (...words: string[]) => [...trusted(machine), 'get', ...words];
  const read = (path: string) => succeeds([...trusted(machine), 'read', path]);
  await shows([...trusted(machine), 'service', 'udevd-bridge'], /STATE +Running\n.*HEALTH +OK/, timeoutMs);
  await shows([...trusted(machine), 'service', 'udevd'], /STATE +Running\n.*HEALTH +OK/, timeoutMs);
  await shows(get('devicesourcestatus'), /devices +\d+ +true +udevd/, timeoutMs);
  assert.match(await succeeds([...trusted(machine), 'logs', 'udevd-bridge']), /udevd started/);

  using client = openMachineClient(folder, machine);
  const { resources } = client.node(guestAddress);
  await using followed = followResources(client, [disks, discoveredVolumes, blockSymlinks, linkStatuses]);
  const until = (what: string, condition: () => boolean | Promise<boolean>) =>
    eventually(condition, {
      ...{ what, timeoutMs },
      explain: () => `${followed.interruptions.join('\n')}\n${JSON.stringify(followed.seen.slice(-12))}`,
    });
  const linkOf = async () =>
    (await resources.list(linkStatuses)).find(({ spec }) => spec.hardwareAddr === mac);
  const offsetMs = clockOffsetMs(await read('/proc/timer_list'));
  const delaysMs = new Map<string, number[]>();

  /** Adds a device, waits until all of its resources are there, and notes how long after its udev event they were made. */
  const add = async (name: string, round: number) => {
    const { bus, added, kinds } = devices[name] ?? assert.fail(name);
    await machine.order(`device_add ${added},bus=${bus},id=added-${name}`);
    if (name === 'link') await until('the link', async () => (await linkOf()) !== undefined);
    const link = name === 'link' ? ((await linkOf()) ?? assert.fail('the link is gone')) : undefined;
    const id = link?.metadata.id ?? name;
    for (const kind of kinds)
      await until(
        `${kind.type} ${id} for the time ${round}`,
        () => lifeOf(followed, kind, id).length === 2 * round - 1,
      );
    const number = link?.spec.index ?? (await read(`/sys/class/block/${id}/dev`)).trim();
    const record = await read(`/run/udev/data/${link === undefined ? 'b' : 'n'}${number}`);
    const eventMs = offsetMs + Number(/^I:(\d+)$/m.exec(record)?.[1] ?? assert.fail(record)) / 1000;
    for (const kind of kinds) {
      const { createdMs } = lifeOf(followed, kind, id).at(-1) ?? assert.fail();
      const key = `${kind.type} of ${name}`;
      delaysMs.set(key, [...(delaysMs.get(key) ?? []), createdMs - eventMs]);
    }
    return { id, kinds };
  };

  await machine.order('netdev_add user,id=net9,restrict=on');
  for (let round = 1; round <= rounds; round += 1) {
    // A removed device takes its drive with it.
    for (const [name, { kinds }] of Object.entries(devices))
      if (kinds === ofDisk)
        await machine.order(`drive_add 0 if=none,id=${name},format=raw,file=${image(`${name}.raw`)}`);
    const added = [];
    for (const name of Object.keys(devices)) added.push(await add(name, round));
    if (round === 1) {
      await shows(get('disks'), /nvme0n1 .*nvme[\s\S]*vdb .*virtio/, timeoutMs);
      await shows(get('disks', 'vdb', '-o', 'yaml'), /- \/dev\/disk\/by-id\/virtio-hot-virtio/, timeoutMs);
      if (hasUsb) await shows(get('disks', 'sda', '-o', 'yaml'), /transport: usb/, timeoutMs);
      await shows(get('pcidevices'), /Mass storage controller +Non-Volatile memory controller/, timeoutMs);
    }
    for (const name of Object.keys(devices)) await machine.order(`device_del added-${name}`);
    for (const { id, kinds } of added)
      for (const kind of kinds)
        await until(`the end of ${kind.type} ${id}`, () => lifeOf(followed, kind, id).length === 2 * round);
    for (const { id, kinds } of added)
      for (const kind of kinds)
        assert.deepEqual(
          lifeOf(followed, kind, id).map(({ kind: change }) => change),
          Array.from({ length: 2 * round }, (_, at) => (at % 2 === 0 ? 'created' : 'destroyed')),
        );
  }
  await shows(get('blockdevices'), /^(?![\s\S]*(vdb|nvme0n1|sda))/, timeoutMs);
  assert.match(await succeeds(get('devicesourcestatus', '-o', 'yaml')), /problem: ""\s+gaps: 0/);
  for (const what of followed.interruptions) t.diagnostic(`began again: ${what}`);
  for (const [what, values] of delaysMs)
    t.diagnostic(
      `from the udev event to ${what}: median ${median(values).toFixed(0)} ms of ${values.length}`,
    );
});
