// Eight new systems that do not work, each tried by a machine with one kind of firmware: the machine is back on its old system without
// anybody's help, and says why. The artefacts are made of that of `make upgrade-image VERSION=v1.14.1`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { unpackTools } from '../../../rootfs/workshop.ts';
import { serveLayout } from '../layout-registry.ts';
import { type MachineInit, noMachine } from '../machine.ts';
import { startUpgradable } from '../upgradable-machine.ts';
import { openWorkplace } from '../use-machine.ts';
import { type BrokenImage, makeBrokenImage } from './broken-images.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
const good = join(checkout, '_out', 'upgrade-images', 'v1.14.1', 'layout');
const skip =
  noMachine || (existsSync(good) ? false : 'there is no artefact: run make upgrade-image VERSION=v1.14.1');

const talosctl = join(checkout, '_out', 'dist', 'talosctl', 'talosctl.cjs');
const workplace = openWorkplace();
after(() => workplace[Symbol.dispose]());

/** Ten minutes of a trial, and two starts beside other work. */
const backMs = 40 * 60_000;
const eventMs = 120_000;

interface Expectation {
  /** What its start shows on the console before it ends. */
  readonly console: RegExp;
  /** Why it is not in use, by the machine. */
  readonly reason: RegExp;
}

/** What the machine says when it has written it and sees that it cannot start. */
interface Refusal {
  readonly refusal: RegExp;
}

const stopped = /it stopped before (its machined ran|it was confirmed)/;
const expected: Readonly<Record<BrokenImage, Expectation | Refusal>> = {
  'kernel panics': { console: /Kernel panic - not syncing/, reason: stopped },
  'kernel hangs after its modules': { console: /slot B is tried: the watchdog i6300esb/, reason: stopped },
  'init stops': { console: /Kernel panic - not syncing: Attempted to kill init/, reason: stopped },
  'wrong root hash': { refusal: /slot B has no system that can be started/ },
  'machined exits': { console: /Kernel panic - not syncing: Attempted to kill init/, reason: stopped },
  'machined hangs': { console: /softdog: Initiating system reboot/, reason: stopped },
  'apid never listens': {
    console: /slot B is given up/,
    reason: /not ready within 10 minutes: .*apid/,
  },
  'never ready': { console: /slot B is given up/, reason: /not ready within 10 minutes: .*trustd/ },
};

interface Row {
  readonly boot: MachineInit['boot']['kind'] & ('bios' | 'uefi' | 'secure-boot');
  readonly hasWatchdog: boolean;
  readonly images: readonly BrokenImage[];
}

/** One machine each, which is upgraded to its images one after the other. A kernel that hangs needs a watchdog of the hardware. */
const rows: readonly Row[] = [
  { boot: 'secure-boot', hasWatchdog: false, images: ['wrong root hash', 'machined exits'] },
  { boot: 'bios', hasWatchdog: false, images: ['kernel panics', 'machined hangs', 'never ready'] },
  {
    boot: 'uefi',
    hasWatchdog: true,
    images: ['init stops', 'kernel hangs after its modules', 'apid never listens'],
  },
];

for (const { boot, hasWatchdog, images } of rows)
  test(`a machine that starts by ${boot} comes back from each system that does not work`, {
    skip,
  }, async (scope) => {
    const work = join(workplace.folder, `tools-${boot}`);
    const tools = await unpackTools({ checkout, work, architecture: 'amd64' });
    await using free = await serveLayout(good);
    const port = Number(new URL(free.url).port);
    await free[Symbol.asyncDispose]();
    await using upgradable = await startUpgradable(workplace, free, { boot: { kind: boot }, hasWatchdog });
    for (const image of images)
      await scope.test(image, async () => {
        const folder = join(workplace.folder, 'broken');
        makeBrokenImage(image, tools, good, folder);
        try {
          await using _registry = await serveLayout(folder, port);
          await comesBack(upgradable, image);
        } finally {
          rmSync(folder, { recursive: true });
        }
      });
  });

type Upgradable = Awaited<ReturnType<typeof startUpgradable>>;

async function comesBack({ machine, call, ...upgradable }: Upgradable, image: BrokenImage): Promise<void> {
  const expectation = expected[image];
  const reference = `registry.test/installer:${image.replaceAll(' ', '-')}`;
  if ('refusal' in expectation) {
    const { exitCode, output } = await workplace.talosctl(
      ...call('upgrade', '--image', reference, '--drain=false', '--wait=false'),
    );
    assert.equal(exitCode, 1, output);
    assert.match(output, expectation.refusal);
    assert.doesNotMatch(output, /the next start tries/);
    await workplace.shows(call('get', 'upgradestatuses', '-o', 'json'), /"trial": ""/);
    await upgradable.runs('v1.14.0', 'A', 'confirmed');
    return;
  }
  const { console, reason } = expectation;
  const before = machine.console().length;
  await upgradable.upgrade(reference);
  // An upgrade begins with a record without a failure, so this one is new.
  const failed = new RegExp(
    `"failed": "B",\\s*"mode": "confirmed",[^}]*"reason": "[^"]*${reason.source}[^}]*"slot": "A"`,
  );
  await workplace.shows(call('get', 'upgradestatuses', '-o', 'json'), failed, backMs);
  const shown = machine.console().slice(before);
  const missing = [console, new RegExp(`slot B was tried and is not in use: .*${reason.source}`)].filter(
    (pattern) => !pattern.test(shown),
  );
  if (missing.length > 0) throw new Error(`the console lacks ${missing.join(', ')}:\n${shown.slice(-8000)}`);
  await workplace.shows(call('get', 'diagnostics', '-o', 'yaml'), /slot B failed its trial/);
  await showsEvent(call('events', '--tail=-1'), reason);
  await upgradable.isReady();
  await upgradable.runs('v1.14.0', 'A', 'confirmed');
}

/** Reads the events that the machine keeps, whose stream does not end. */
async function showsEvent(words: readonly string[], pattern: RegExp): Promise<void> {
  const child = spawn(process.execPath, [talosctl, ...words], { cwd: workplace.folder });
  try {
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    await eventually(() => pattern.test(shown), {
      ...{ what: `an event with ${pattern}`, timeoutMs: eventMs, explain: () => shown },
    });
  } finally {
    child.kill();
  }
}
