// The disk image on an emulated machine, from the firmware to the API and back to power off.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { changedDisk } from './changed-disk.ts';
import { noMachine as skip, startMachine } from './machine.ts';
import { openWorkplace } from './use-machine.ts';

const { talosctl, succeeds, generate, configures, trusted, machineDisk, ...workplace } = openWorkplace();
after(() => workplace[Symbol.dispose]());

const keys = {
  bios: { what: 'its power button switches it off', signal: 'SIGTERM', end: /reboot: Power down/ },
  uefi: { what: 'Ctrl-Alt-Del restarts it', signal: 'SIGINT', end: /reboot: Restarting system/ },
} as const;
for (const kind of ['bios', 'uefi'] as const) {
  test(`the disk image boots by ${kind.toUpperCase()} to maintenance, again after it got STATE, and ${keys[kind].what}`, {
    skip,
  }, async () => {
    const disk = machineDisk(`${kind}.raw`);
    for (const round of ['first', 'second']) {
      await using machine = await startMachine({ disk, keepsDisk: true, boot: { kind } });
      await machine.shows(/\[initramfs\] switching to the root file system/);
      await machine.shows(/"msg":"daemon serves"/);
      await machine.shows(/maintenance: waiting for a machine configuration/);
      assert.match(machine.console(), /"pid":1,/);
      assert.match(machine.console(), kind === 'bios' ? /GRUB/ : /EFI stub/);
      assert.match(machine.console(), /XFS \(vda6\): Ending clean mount/, round);
      await (kind === 'bios' ? machine.pressPower() : machine.pressControlAltDelete());
      await machine.shows(new RegExp(`"reason":"${keys[kind].signal}","msg":"daemon stops"`));
      await machine.shows(keys[kind].end);
      await machine.isOff();
    }
  });
}

test('a machine ends when one byte of its root file system was changed', { skip }, async () => {
  // The first block of the squashfs with content, which every boot reads: its superblock.
  const disk = changedDisk(workplace.folder, 'rootfs.squashfs', 40);
  await using machine = await startMachine({ disk, boot: { kind: 'kernel' } });
  await machine.shows(/device-mapper: verity: .*data block 0 is corrupted/);
  await machine.isOff();
  assert.doesNotMatch(machine.console(), /switching to the root file system/);
});

test('the init says what is wrong with the root hash or the disk, and restarts the machine', {
  skip,
}, async () => {
  const otherHash = `console=ttyS0 panic=1 printk.devkmsg=on nodewright.roothash=${'0'.repeat(64)}`;
  const cases = [
    {
      boot: { kind: 'kernel', commandLine: 'console=ttyS0 printk.devkmsg=on' },
      shows: /nodewright\.roothash must be once on the kernel's command line/,
    },
    {
      boot: { kind: 'kernel', words: ['nodewright.roothash=nonsense'] },
      shows: /nodewright\.roothash must be once on the kernel's command line/,
    },
    {
      boot: { kind: 'kernel', words: ['nodewright.slot=B'] },
      shows: /vda3 has not the image of this kernel in slot B/,
    },
    {
      boot: { kind: 'kernel', commandLine: otherHash },
      shows: /vda3 has not the image of this kernel in slot A/,
    },
    {
      disk: 'none',
      boot: { kind: 'kernel' },
      shows: /no disk has a partition labelled BOOT with the image of this kernel in slot A/,
    },
  ] as const;
  for (const { shows, ...init } of cases) {
    await using machine = await startMachine(init);
    await machine.shows(shows);
    await machine.isOff(90_000);
    assert.doesNotMatch(machine.console(), /daemon serves/);
  }
});
