// A machine whose system is tried restarts when it hangs after its modules.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { slotFiles } from '@nodewright/boot';
import { unpackTools } from '../../rootfs/workshop.ts';
import { diskWithFiles } from './long/disk-with-files.ts';
import { imageFolder, type MachineInit, noMachine as skip, startMachine } from './machine.ts';
import { openWorkplace } from './use-machine.ts';

const workplace = openWorkplace();
after(() => workplace[Symbol.dispose]());
const checkout = join(import.meta.dirname, '..', '..');

/** Longer than a watchdog lasts. */
const secondsMs = 60_000;
// The init finds its slot, does not get on with its image, and waits for its operator, for ever.
const boot = { kind: 'kernel', words: ['panic=0', 'nodewright.extensions=nonsense'] } as const;
const hangs = /nodewright\.extensions must be once on the kernel's command line/;

async function hang(init: Omit<MachineInit, 'boot'>, shows: RegExp): Promise<string> {
  await using machine = await startMachine({ ...init, boot });
  await machine.shows(shows);
  await machine.shows(hangs);
  const startMs = performance.now();
  await machine.isOff(3 * secondsMs);
  const lastedMs = performance.now() - startMs;
  assert.ok(lastedMs > secondsMs / 3, `a machine that hangs is not left alone for ${lastedMs} ms`);
  return machine.console();
}

const made = skip === false ? makeTriedDisk() : undefined;

async function makeTriedDisk(): Promise<string> {
  const { folder } = workplace;
  const tools = await unpackTools({ checkout, work: folder, architecture: 'amd64' });
  return diskWithFiles(join(folder, 'tried'), tools, { [`A/${slotFiles.trial}`]: Buffer.alloc(0) });
}

const triedDisk = async () => (await made) ?? assert.fail('there is no image');

test('a watchdog of the hardware restarts a machine that hangs while its system is tried', {
  skip,
}, async () => {
  const shows = /slot A is tried: the watchdog i6300esb restarts a machine that hangs/;
  const console = await hang({ disk: await triedDisk(), hasWatchdog: true }, shows);
  assert.doesNotMatch(console, /softdog/);
});

test('without one the watchdog of the kernel does', { skip }, async () => {
  const shows = /slot A is tried: the watchdog softdog restarts a machine that hangs/;
  const console = await hang({ disk: await triedDisk() }, shows);
  assert.match(console, /softdog: Initiating system reboot/);
});

test('a confirmed system has no watchdog: the machine waits for its operator', { skip }, async () => {
  const disk = join(imageFolder, 'disk.raw');
  await using machine = await startMachine({ disk, hasWatchdog: true, boot });
  await machine.shows(hangs);
  await assert.rejects(machine.isOff(2 * secondsMs));
  assert.doesNotMatch(machine.console(), /is tried/);
});
