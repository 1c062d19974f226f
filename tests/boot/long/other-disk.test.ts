// A volume that its configuration puts on another disk than the machine was started from stays there.
import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { type MachineInit, noMachine as skip, startMachine } from '../machine.ts';
import { openWorkplace } from '../use-machine.ts';

const workplace = openWorkplace();
after(() => workplace[Symbol.dispose]());

test('EPHEMERAL is created on the disk that its document selects, and stays there under another path', {
  skip,
}, async () => {
  const { folder, trusted, talosctl } = workplace;
  const own = workplace.machineDisk('with-second.raw', 2 ** 31);
  const second = join(folder, 'second.raw');
  writeFileSync(second, '');
  truncateSync(second, 3 * 2 ** 30);
  const patch = {
    ...{ apiVersion: 'v1alpha1', kind: 'VolumeConfig', name: 'EPHEMERAL' },
    provisioning: { diskSelector: { match: '!system_disk' } },
  };
  await workplace.generate('second', '--config-patch', JSON.stringify(patch));
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
