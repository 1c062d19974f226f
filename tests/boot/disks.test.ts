// A machine with a second disk whose partitions have the same labels starts from its own disk, and changes no other one. A volume that its
// configuration puts on another disk stays there.
import assert from 'node:assert/strict';
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { diskOfOtherSystem, diskOfOtherVersion } from './changed-disk.ts';
import { type MachineInit, noMachine as skip, startMachine } from './machine.ts';
import { openWorkplace } from './use-machine.ts';

const workplace = openWorkplace();
after(() => workplace[Symbol.dispose]());

/** Boots a machine to maintenance, and returns the name of the disk that it uses. */
async function bootWith(first: string, second: string): Promise<string> {
  await using machine = await startMachine({
    disk: first,
    moreDisks: { second },
    boot: { kind: 'kernel', words: ['panic=1'] },
  });
  await machine.shows(/maintenance: waiting for a machine configuration|Kernel panic|restarting in/);
  const console = machine.console();
  const [, name] = /image \/boot\/A\/rootfs\.squashfs on \/dev\/(vd[ab])3/.exec(console) ?? [];
  assert.ok(name !== undefined, console.slice(-4000));
  assert.match(console, new RegExp(`XFS \\(${name}6\\): Ending clean mount`));
  const mounted = new Set([...console.matchAll(/XFS \((\w+?)\d+\): /g)].map(([, disk]) => disk));
  assert.deepEqual([...mounted], [name]);
  assert.match(console, new RegExp(`"used":"/dev/${name}","ignored":\\["/dev/vd[ab]"\\]`));
  return name;
}

test('a machine with two image disks starts from that of its kernel in both orders', { skip }, async () => {
  const own = workplace.machineDisk('own.raw');
  const other = diskOfOtherVersion(workplace.folder);
  const names = [await bootWith(own, other), await bootWith(other, own)];
  assert.deepEqual(names.sort(), ['vda', 'vdb']);
});

test('a machine starts from its own disk beside one of another system with the same labels', {
  skip,
}, async () => {
  const own = workplace.machineDisk('own-too.raw');
  const other = diskOfOtherSystem(workplace.folder);
  const names = [await bootWith(own, other), await bootWith(other, own)];
  assert.deepEqual(names.sort(), ['vda', 'vdb']);
});

test('EPHEMERAL is created on the disk that its document selects, and stays there under another path', {
  skip,
}, async () => {
  const { folder, trusted, talosctl } = workplace;
  const own = workplace.machineDisk('with-second.raw', 2 ** 30);
  const second = join(folder, 'second.raw');
  writeFileSync(second, '');
  truncateSync(second, 3 * 2 ** 30);
  await workplace.generate('second');
  const selector = 'provisioning:\n  diskSelector:\n    match: "!system_disk"\n';
  appendFileSync(
    join(folder, 'controlplane.yaml'),
    `---\napiVersion: v1alpha1\nkind: VolumeConfig\nname: EPHEMERAL\n${selector}`,
  );
  const boot = { kind: 'kernel', words: ['panic=1'] } as const;
  const status = async (machine: Parameters<typeof trusted>[0], pattern: RegExp) => {
    let last = '';
    const isSo = async () => {
      last = (await talosctl(...trusted(machine), 'get', 'volumestatus', 'EPHEMERAL', '-o', 'yaml')).output;
      return pattern.test(last);
    };
    const explain = () => `${last}\n${machine.console().slice(-4000)}`;
    await eventually(isSo, { what: `${pattern} in the status of EPHEMERAL`, timeoutMs: 900_000, explain });
    return last;
  };
  const placeOf = (text: string) => [
    /parentLocation: \/dev\/(\w+)/.exec(text)?.[1],
    /partitionUUID: ([\w-]+)/.exec(text)?.[1],
  ];
  const places: (string | undefined)[][] = [];
  const starts: readonly Pick<MachineInit, 'disk' | 'moreDisks'>[] = [
    { disk: own, moreDisks: { second } },
    { disk: second, moreDisks: { own } },
  ];
  for (const disks of starts) {
    await using machine = await startMachine({ ...disks, keepsDisk: true, boot });
    if (places.length === 0) await workplace.configures(machine, 'controlplane.yaml');
    places.push(placeOf(await status(machine, /phase: ready/)));
    await machine.pressPower();
    await machine.isOff();
  }
  const [[firstDisk, guid] = [], [otherDisk, sameGuid] = []] = places;
  assert.ok(guid !== undefined && guid === sameGuid, JSON.stringify(places));
  assert.deepEqual([firstDisk, otherDisk].sort(), ['vda', 'vdb']);

  // Without the disk the machine can be asked why it has no EPHEMERAL, and makes no other one.
  await using machine = await startMachine({ disk: own, boot });
  const failed = await status(machine, /phase: failed/);
  assert.match(
    failed.replaceAll(/\s+/g, ' '),
    new RegExp(`partition ${guid} of the disk with GUID [\\w-]+, which is not there`),
  );
});
