// A machine with a second disk whose partitions have the same labels starts from its own disk, and changes no other one.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { diskOfOtherSystem, diskOfOtherVersion } from './changed-disk.ts';
import { noMachine as skip, startMachine } from './machine.ts';
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
