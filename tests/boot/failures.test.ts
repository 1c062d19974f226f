// What a machine does when something is missing or damaged: its API answers, or its console says why not.
import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sectorBytes } from '@nodewright/disk';
import { guestNetwork } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import { placedPartitions } from '../../rootfs/disk/disk-image.ts';
import { imageFolder, noMachine as skip, startMachine } from './machine.ts';
import { openWorkplace } from './use-machine.ts';

const { talosctl, succeeds, generate, trusted, machineDisk, ...workplace } = openWorkplace();
after(() => workplace[Symbol.dispose]());

const boot = { kind: 'kernel', words: [guestNetwork] } as const;

/** Overwrites a text in a file with another one of the same length, wherever it is. */
function replaceInFile(path: string, text: string, other: string): void {
  assert.equal(text.length, other.length);
  const file = openSync(path, 'r+');
  // STATE, which has 100 MiB, is behind the partitions of the image.
  const end = ((placedPartitions().at(-1)?.last ?? 0) + 1) * sectorBytes;
  const bytes = Buffer.alloc(101 << 20);
  readSync(file, bytes, 0, bytes.length, end);
  let count = 0;
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) {
    writeSync(file, other, end + at, 'latin1');
    count += 1;
  }
  closeSync(file);
  assert.ok(count > 0, `the disk has the text ${text}`);
}

test('a machine whose disk has no room for EPHEMERAL says so, and its API answers', { skip }, async () => {
  await generate('small');
  await using machine = await startMachine({ boot });
  await succeeds(['-n', machine.api, 'version', '--insecure']);
  await workplace.configures(machine, 'controlplane.yaml');
  const isFailed = async () => {
    const { output } = await talosctl(...trusted(machine), 'get', 'volumestatus', 'EPHEMERAL', '-o', 'yaml');
    return /errorMessage: .*the disk has no room for EPHEMERAL: it needs 2\.1 GB/.test(output);
  };
  await eventually(isFailed, { what: 'the reason in the status of EPHEMERAL', timeoutMs: 600_000 });
  await machine.shows(/the disk has no room for EPHEMERAL/);
});

test('a machine with a damaged configuration says where, and waits for another one', { skip }, async () => {
  await generate('damaged');
  const disk = machineDisk('damaged.raw');
  {
    await using machine = await startMachine({ disk, keepsDisk: true, boot });
    await succeeds(['-n', machine.api, 'version', '--insecure']);
    await workplace.configures(machine, 'controlplane.yaml');
    await machine.pressPower();
    await machine.isOff();
  }
  replaceInFile(disk, 'version: v1alpha1', 'version: {{{{{{{{');
  await using machine = await startMachine({ disk, keepsDisk: true, boot });
  await machine.shows(/machine configuration of STATE: decode error: document 1, line \d+, column \d+/);
  await workplace.configures(machine, 'controlplane.yaml');
  assert.match(await succeeds([...trusted(machine), 'version']), /Enabled: +RBAC/);
});

test('a machine starts although the superblock of BOOT is gone: the init uses its copy', {
  skip,
}, async () => {
  const disk = machineDisk('superblock.raw');
  const { first } = placedPartitions().find(({ label }) => label === 'BOOT') ?? assert.fail('no BOOT');
  const file = openSync(disk, 'r+');
  writeSync(file, Buffer.alloc(1024), 0, 1024, first * sectorBytes + 1024);
  closeSync(file);
  await using machine = await startMachine({ disk, keepsDisk: true, boot });
  await machine.shows(/the superblock of \/dev\/vda3 is damaged: error -?\d+; its copy is used/);
  await machine.shows(/maintenance: waiting for a machine configuration/);
});

test('a machine whose kernel lacks its protections does not start, and says why', { skip }, async () => {
  const commandLine = readFileSync(join(imageFolder, 'cmdline.txt'), 'utf8')
    .replace('pti=on', 'pti=off')
    .trim();
  await using machine = await startMachine({ boot: { kind: 'kernel', commandLine } });
  await machine.shows(/the kernel was started without pti=on, which protect/);
  await machine.isOff();
});

test('a machine with a nonsensical address says so on its console, and one without gets it from a DHCP server', {
  skip,
}, async () => {
  for (const [words, text] of [
    [['ip=nonsense'], /the network could not be set up/],
    [[], /\[nodewright\] address: 10\.0\.2\.15/],
  ] as const) {
    await using machine = await startMachine({ boot: { kind: 'kernel', words } });
    await machine.shows(text);
    await machine.shows(/maintenance: waiting for a machine configuration/);
  }
});
