// Machines that are installed from the medium of `make iso`, by BIOS and by UEFI firmware.
import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { imageFolder, type Machine, type MachineInit, noMachine, startMachine } from './machine.ts';
import { openWorkplace } from './use-machine.ts';

const medium = join(imageFolder, '..', 'iso', 'nodewright-amd64.iso');
const skip =
  noMachine || (!existsSync(medium) && process.env.CI !== 'true' && 'there is no ISO: run make iso');
const timeout = 45 * 60_000;
const diskBytes = 6 * 2 ** 30;

/** How often the console shows the text. */
const times = (console: string, pattern: RegExp) => console.split(pattern).length - 1;

const fromMedium = /image medium\/rootfs\.squashfs on \/dev\/sr0, which is copied to memory/;
const fromDisk = /image \/boot\/A\/rootfs\.squashfs on \/dev\/vda3/;

function firstMib(path: string): Buffer {
  const bytes = Buffer.alloc(1 << 20);
  const file = openSync(path, 'r');
  readSync(file, bytes, 0, bytes.length, 0);
  closeSync(file);
  return bytes;
}

for (const boot of ['bios', 'uefi'] as const satisfies readonly MachineInit['boot']['kind'][])
  test(`a machine is installed from the medium by ${boot}, and starts from its disk`, {
    skip,
    timeout,
  }, async () => {
    using place = openWorkplace();
    await using scope = new AsyncDisposableStack();
    await place.generate('installed', '--install-disk', '/dev/vdz');
    const disk = join(place.folder, 'disk.raw');
    writeFileSync(disk, '');
    truncateSync(disk, diskBytes);
    const configuration = join(place.folder, 'controlplane.yaml');

    // The firmware of UEFI machines of the emulator connects the device that it starts from, and no other one: the menu of the medium does not
    // see the disk.
    const isTakenOut = boot === 'uefi';
    await using installer = await startMachine({
      ...{ disk, keepsDisk: true, medium, restarts: !isTakenOut, boot: { kind: boot } },
    });
    let machine: Machine = installer;
    await machine.shows(fromMedium);
    await place.configures(machine, 'controlplane.yaml');
    const status = [...place.trusted(machine), 'get', 'unattendedinstallstatus', '-o', 'yaml'];
    const noDisk =
      /this machine has no disk .*\/dev\/vdz.*; the disks of this machine are .*\/dev\/vda \(6\.4 GB\): blank/;
    await place.shows(status, noDisk);
    assert.ok(firstMib(disk).equals(Buffer.alloc(1 << 20)));

    const text = readFileSync(configuration, 'utf8');
    writeFileSync(configuration, text.replaceAll('/dev/vdz', '/dev/vda'));
    await place.succeeds([...place.trusted(machine), 'apply-config', '-f', 'controlplane.yaml']);
    if (isTakenOut) {
      await installer.isOff(timeout);
      machine = scope.use(await startMachine({ disk, keepsDisk: true, boot: { kind: boot } }));
    }
    await machine.shows(fromDisk);
    // Otherwise the medium is still in the drive, and its menu has started the system on the disk.
    assert.equal(times(installer.console(), fromMedium), 1);
    const trusted = place.trusted(machine);
    await place.shows([...trusted, 'get', 'unattendedinstallstatus', '-o', 'yaml'], /phase: installed/);
    await place.shows([...trusted, 'get', 'systemdisk', '-o', 'yaml'], /devPath: \/dev\/vda/);
  });
