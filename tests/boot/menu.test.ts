// What GRUB starts by the choice in its environment block, on a machine with a BIOS.
import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  choiceEnvironment,
  digestList,
  encodeEnvironmentBlock,
  environmentBlockBytes,
  grubFiles,
  parseEnvironmentBlock,
  planCore,
  type Slot,
  type SlotChoice,
  slotChoiceIn,
  slotEntry,
  slotFiles,
} from '@nodewright/boot';
import { sectorBytes } from '@nodewright/disk';
import { eventually } from '@nodewright/testkit';
import { makeGrub } from '../../rootfs/disk/grub-image.ts';
import { unpackTools } from '../../rootfs/workshop.ts';
import { noMachine as skip, switchOn } from './machine.ts';
import { type Files, fakeEntry, fakeSlot, smallDisk, smallPlace } from './small-disk.ts';

const work = mkdtempSync(join(tmpdir(), 'menu-test-'));
after(() => rmSync(work, { recursive: true, force: true }));
const checkout = join(import.meta.dirname, '..', '..');

const unpacked = skip === false ? unpackTools({ checkout, work, architecture: 'amd64' }) : undefined;
const openedTools = async () => (await unpacked) ?? assert.fail('there are no tools');

interface Row {
  readonly what: string;
  /** What is stored before the first start; a buffer is the block itself. */
  readonly stored: Partial<SlotChoice> | Buffer;
  readonly files: Files;
  readonly starts: readonly Slot[];
  /** What is stored afterwards; default: what was before. */
  readonly left?: Partial<SlotChoice>;
  readonly shows?: RegExp;
}

const both = { ...fakeSlot('A'), ...fakeSlot('B') };
const entry = { slot: 'A', tag: 'v1.14.0', commandLine: 'console=ttyS0' } as const;
const changedKernel: Files = {
  ...fakeSlot('A', slotEntry(entry)),
  [`A/${slotFiles.kernel}`]: 'changed',
  [`A/${slotFiles.initramfs}`]: 'initramfs',
  [`A/${slotFiles.digests}`]: digestList({
    vmlinuz: Buffer.from('kernel'),
    initramfs: Buffer.from('initramfs'),
  }),
};

const rows: readonly Row[] = [
  {
    what: 'what is started once is started once, and then the default',
    ...{ stored: { default: 'A', once: 'B' }, files: both, starts: ['B', 'A', 'A'] },
    left: { default: 'A' },
  },
  {
    what: 'the default is started every time',
    ...{ stored: { default: 'B' }, files: both, starts: ['B', 'B'] },
  },
  {
    what: 'without a choice slot A is started, and B may be started once',
    ...{ stored: { once: 'B' }, files: both, starts: ['B', 'A'] },
    left: {},
  },
  {
    what: 'a damaged environment block counts as none',
    ...{ stored: Buffer.alloc(environmentBlockBytes), files: both, starts: ['A', 'A'] },
    left: {},
  },
  {
    what: 'a default whose slot is not complete is left out',
    stored: { default: 'B' },
    files: { ...fakeSlot('A'), [`B/${slotFiles.entry}`]: fakeEntry('B') },
    starts: ['A'],
  },
  {
    what: 'a slot whose entry is cut off is left out, and is not tried again',
    stored: { default: 'A', once: 'B' },
    files: { ...fakeSlot('A'), ...fakeSlot('B', fakeEntry('B').slice(0, -25)) },
    starts: ['A', 'A'],
    left: { default: 'A' },
  },
  {
    what: 'a default whose kernel was changed is not started: the other slot is',
    stored: { default: 'A' },
    files: { ...changedKernel, ...fakeSlot('B') },
    ...{ starts: ['B'], shows: /The kernel or the initramfs of slot A was changed/ },
  },
];

test('GRUB starts what is chosen, removes what it starts once, and takes the other slot when one is not whole', {
  skip,
}, async () => {
  const tools = await openedTools();
  for (const [index, { what, stored, files, starts, left, shows }] of rows.entries()) {
    const choice = { default: undefined, once: undefined };
    const block = Buffer.isBuffer(stored)
      ? stored
      : encodeEnvironmentBlock(choiceEnvironment({ ...choice, ...stored }));
    const disk = smallDisk(join(work, `disk-${index}`), tools, { ...files, [grubFiles.environment]: block });
    const console = await showsSlots(disk, starts, what);
    if (shows !== undefined) assert.match(console, shows, what);
    if (!Buffer.isBuffer(stored)) assert.deepEqual(storedOn(disk), { ...choice, ...(left ?? stored) }, what);
  }
});

test('a disk of an earlier version starts GRUB from the other half of its partition BIOS when it was replaced', {
  skip,
}, async () => {
  const tools = await openedTools();
  const place = smallPlace('BIOS');
  const choice = encodeEnvironmentBlock(choiceEnvironment({ default: 'A', once: 'B' }));
  const old = makeGrub(tools, work, place.first, 'loadenv');
  const disk = smallDisk(join(work, 'old'), tools, { ...both, [grubFiles.environment]: choice }, old);
  await showsSlots(disk, ['A']);
  const file = openSync(disk, 'r+');
  const read = (sector: number, sectors: number) => {
    const bytes = Buffer.alloc(sectors * sectorBytes);
    readSync(file, bytes, 0, bytes.length, sector * sectorBytes);
    return bytes;
  };
  const plan = planCore({
    ...{ sector0: read(0, 1), biosFirst: place.first },
    bios: read(place.first, place.last - place.first + 1),
    ...makeGrub(tools, work, place.first),
  });
  for (const step of 'steps' in plan ? plan.steps : assert.fail(plan.refusal))
    if (step.kind === 'write sectors')
      writeSync(file, step.bytes, 0, step.bytes.length, step.sector * sectorBytes);
  // Nothing is left where the first one was.
  writeSync(file, Buffer.alloc(old.core.length), 0, old.core.length, place.first * sectorBytes);
  closeSync(file);
  await showsSlots(disk, ['B', 'A']);
});

/** Starts the disk until so many slots were started, and returns what the console shows. */
async function showsSlots(disk: string, starts: readonly Slot[], what = starts.join()): Promise<string> {
  await using machine = await switchOn({ disk, keepsDisk: true, restarts: true, boot: { kind: 'bios' } });
  const started = () =>
    [...machine.console().matchAll(/starts slot ([AB])/g)].map(([, slot]) => slot).slice(0, starts.length);
  await eventually(() => started().length === starts.length, {
    ...{ what, timeoutMs: 300_000 },
    explain: () => machine.console().slice(-3000),
  });
  assert.deepEqual(started(), starts, what);
  return machine.console();
}

/** The choice on a disk with one environment block. */
function storedOn(disk: string): SlotChoice {
  const bytes = readFileSync(disk);
  const at = bytes.indexOf('# GRUB Environment Block\n');
  return slotChoiceIn(parseEnvironmentBlock(bytes.subarray(at, at + environmentBlockBytes)));
}
