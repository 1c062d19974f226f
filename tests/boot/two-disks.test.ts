// Which disk a machine with two of them starts from: its boot loaders, on a medium and on a disk, with systems that say where they are.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { slotFiles } from '@nodewright/boot';
import { makeMediumLoader } from '../../rootfs/iso/medium-loader.ts';
import { mediumMenu } from '../../rootfs/iso/medium-menu.ts';
import { writeIso } from '../../rootfs/iso/write-iso.ts';
import { mediumPackages } from '../../rootfs/recipe.ts';
import { unpackLocked, unpackTools } from '../../rootfs/workshop.ts';
import { noMachine as skip, switchOn } from './machine.ts';
import { type Files, smallDisk } from './small-disk.ts';

const work = mkdtempSync(join(tmpdir(), 'two-disks-test-'));
after(() => rmSync(work, { recursive: true, force: true }));
const checkout = join(import.meta.dirname, '..', '..');
const architecture = 'amd64';

async function prepare() {
  const tools = await unpackTools({ checkout, work, architecture });
  for (const name of mediumPackages(architecture))
    await unpackLocked(name, join(work, 'tools'), { checkout, architecture });
  const folder = join(work, 'medium');
  mkdirSync(folder);
  const medium = join(work, 'medium.iso');
  writeIso(medium, tools, folder, {
    ...{ volume: 'NODEWRIGHT_TEST', epochSeconds: 1_700_000_000, loader: makeMediumLoader(tools, work) },
    files: {
      'medium/roothash': Buffer.from('ab'),
      'boot/grub/grub.cfg': Buffer.from(mediumMenu('v1.14.0', 'console=ttyS0')),
    },
  });
  return { tools, medium };
}

/** A system that says on which disk it is, and ends the machine. */
const systemOn = (disk: string): Files => ({
  [`A/${slotFiles.digests}`]: '',
  [`A/${slotFiles.hashTree}`]: '',
  [`A/${slotFiles.entry}`]: `menuentry 'A' --id A {\n  echo 'this is ${disk}'\n  sleep 1\n  reboot\n}\nset complete=A\n`,
});
/** A disk of somebody else, with a BOOT whose boot loader is not ours. */
const foreign: Files = { 'grub/grub.cfg': "echo 'this is another system'\nsleep 1\nreboot\n" };

// Not in the time of a test: it unpacks packages.
const prepared = skip === false ? await prepare() : undefined;

// The disk that the machine has besides is the one that its BIOS counts first.
for (const { what, disks, starts, says } of [
  {
    what: 'a medium and a boot loader start the system of a disk whose neighbour has a BOOT as well',
    disks: { first: foreign, second: systemOn('second') },
    ...{ starts: 'second', says: 'hd1' },
  },
  {
    what: 'of two disks with a system a medium starts the first one, and says which',
    disks: { first: systemOn('first'), second: systemOn('second') },
    ...{ starts: 'first', says: 'hd0' },
  },
])
  test(what, { skip }, async () => {
    const { tools, medium } = prepared ?? assert.fail('there are no tools');
    const disk = (name: 'first' | 'second') =>
      smallDisk(join(mkdtempSync(join(work, name)), 'disk'), tools, disks[name]);
    await using machine = await switchOn({
      ...{ disk: disk('second'), medium, boot: { kind: 'bios' } },
      moreDisks: { more: disk('first') },
    });
    await machine.shows(/this is (?:first|second|another)/, 120_000);
    const [, said] = /Starting the system on disk (hd\d)/.exec(machine.console()) ?? [];
    const [, started] = /this is (first|second|another)/.exec(machine.console()) ?? [];
    assert.deepEqual([said, started], [says, starts]);
  });
