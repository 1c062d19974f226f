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

test('a watchdog of the hardware, or else of the kernel, restarts a machine that hangs while its system is tried', {
  skip,
}, async () => {
  const { folder } = workplace;
  const tools = await unpackTools({ checkout, work: folder, architecture: 'amd64' });
  const disk = diskWithFiles(join(folder, 'tried'), tools, { [`A/${slotFiles.trial}`]: Buffer.alloc(0) });
  const [hardware, software] = await Promise.all([
    hang({ disk, hasWatchdog: true }, /slot A is tried: the watchdog i6300esb restarts a machine that hangs/),
    hang({ disk }, /slot A is tried: the watchdog softdog restarts a machine that hangs/),
    leftAlone(),
  ]);
  assert.doesNotMatch(hardware, /softdog/);
  assert.match(software, /softdog: Initiating system reboot/);
});

/** A confirmed system has no watchdog: the machine waits for its operator. */
async function leftAlone(): Promise<void> {
  const disk = join(imageFolder, 'disk.raw');
  await using machine = await startMachine({ disk, hasWatchdog: true, boot });
  await machine.shows(hangs);
  await assert.rejects(machine.isOff(2 * secondsMs));
  assert.doesNotMatch(machine.console(), /is tried/);
}
