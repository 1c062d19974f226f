// What GRUB starts by the choice in its environment block, on a machine with a BIOS.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
  type Slot,
  type SlotChoice,
  slotChoiceIn,
  slotEntry,
  slotFiles,
} from '@nodewright/boot';
import { eventually } from '@nodewright/testkit';
import { unpackTools } from '../../rootfs/workshop.ts';
import { noMachine as skip, switchOn } from './machine.ts';
import { type Files, fakeEntry, fakeSlot, smallDisk } from './small-disk.ts';

const work = mkdtempSync(join(tmpdir(), 'menu-test-'));
after(() => rmSync(work, { recursive: true, force: true }));
const checkout = join(import.meta.dirname, '..', '..');

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
  const tools = await unpackTools({ checkout, work, architecture: 'amd64' });
  for (const [index, { what, stored, files, starts, left, shows }] of rows.entries()) {
    const choice = { default: undefined, once: undefined };
    const block = Buffer.isBuffer(stored)
      ? stored
      : encodeEnvironmentBlock(choiceEnvironment({ ...choice, ...stored }));
    const disk = smallDisk(join(work, `disk-${index}`), tools, { ...files, [grubFiles.environment]: block });
    await using machine = await switchOn({ disk, keepsDisk: true, restarts: true, boot: { kind: 'bios' } });
    const started = () =>
      [...machine.console().matchAll(/starts slot ([AB])/g)].map(([, slot]) => slot).slice(0, starts.length);
    await eventually(() => started().length === starts.length, {
      ...{ what, timeoutMs: 300_000 },
      explain: () => machine.console().slice(-3000),
    });
    assert.deepEqual(started(), starts, what);
    if (shows !== undefined) assert.match(machine.console(), shows, what);
    if (!Buffer.isBuffer(stored)) assert.deepEqual(storedOn(disk), { ...choice, ...(left ?? stored) }, what);
  }
});

/** The choice on a disk with one environment block. */
function storedOn(disk: string): SlotChoice {
  const bytes = readFileSync(disk);
  const at = bytes.indexOf('# GRUB Environment Block\n');
  return slotChoiceIn(parseEnvironmentBlock(bytes.subarray(at, at + environmentBlockBytes)));
}
