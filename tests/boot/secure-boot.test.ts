// What firmware and boot loader do with an image whose parts were changed, and with one that is as it was signed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { guestNetwork } from '@nodewright/provision/machine';
import { changedDisk } from './changed-disk.ts';
import { imageFolder, noMachine as skip, startMachine, switchOn } from './machine.ts';
import { openWorkplace } from './use-machine.ts';

const { succeeds, generate, trusted, machineDisk, ...workplace } = openWorkplace();
after(() => workplace[Symbol.dispose]());

test('with Secure Boot the signed image boots, and says so', { skip }, async () => {
  await generate('secure');
  const disk = machineDisk('secure.raw');
  const boot = { kind: 'secure-boot', words: [guestNetwork] } as const;
  await using machine = await startMachine({ disk, keepsDisk: true, boot });
  await machine.shows(/maintenance: waiting for a machine configuration/);
  assert.match(machine.console(), /secureboot: Secure boot enabled/);
  assert.match(machine.console(), /Kernel is locked down from EFI Secure Boot/);
  await workplace.configures(machine, 'controlplane.yaml');
  const state = await succeeds([...trusted(machine), 'get', 'securitystate', '-o', 'yaml']);
  assert.match(state, /secureBoot: true/);
  assert.match(state, /bootedWithUKI: true/);
  assert.match(state, /moduleSignatureEnforced: true/);
  // The firmware verifies the initramfs, and kexec would not.
  await succeeds([...trusted(machine), 'reboot', '--wait=false']);
  await machine.shows(/"reason":"Secure Boot is on","msg":"no kexec/, 60_000);
  await machine.shows(/reboot: Restarting system/, 60_000);
  await machine.isOff();
});

/** The entry for signatures in the headers of a program: 64 bits, and the fifth entry. */
function certificateEntryOf(program: Buffer): number {
  return program.readUInt32LE(0x3c) + 24 + 112 + 4 * 8;
}

const efi = () => readFileSync(join(imageFolder, 'nodewright.efi'));
const changes = {
  'in its kernel': () => efi().length - 2_000_000,
  'in its command line': () => efi().indexOf('nodewright.roothash=') + 24,
  'in the place of its signature': () => certificateEntryOf(efi()),
};
test('with Secure Boot the firmware refuses an image with one changed byte, wherever it is', {
  skip,
}, async () => {
  await Promise.all(
    Object.entries(changes).map(async ([where, distance]) => {
      const disk = changedDisk(workplace.folder, 'nodewright.efi', distance());
      await using machine = await switchOn({ disk, boot: { kind: 'secure-boot' } });
      await machine.shows(/failed to (load|start) .*(Access Denied|Security Violation|Unsupported)/, 300_000);
      // The firmware goes on with its other options: the network, for minutes.
      assert.doesNotMatch(machine.console(), /EFI stub|Linux version/, where);
    }),
  );
});

test('with Secure Boot the firmware refuses a boot loader with one changed byte', { skip }, async () => {
  const disk = changedDisk(workplace.folder, 'systemd-boot.efi', 60_000);
  await using machine = await switchOn({ disk, boot: { kind: 'secure-boot' } });
  await machine.shows(/failed to (load|start) .*(Access Denied|Security Violation|Unsupported)/, 300_000);
  assert.doesNotMatch(machine.console(), /Boot in|EFI stub|Linux version/);
});

test('with Secure Boot words that were added to the signed command line end the machine', {
  skip,
}, async () => {
  const cases = [
    {
      words: [`nodewright.roothash=${'0'.repeat(64)}`],
      shows: /nodewright\.roothash must be once on the kernel's command line/,
    },
    {
      words: [`nodewright.extensions=${'0'.repeat(64)}`],
      shows: /nodewright\.extensions must be once on the kernel's command line/,
    },
    {
      words: ['module.sig_enforce=0'],
      shows: /nothing but ip= may be added to the kernel's command line: remove module\.sig_enforce=0/,
    },
  ];
  await Promise.all(
    cases.map(async ({ words, shows }) => {
      await using machine = await startMachine({ boot: { kind: 'secure-boot', words } });
      await machine.shows(shows, 300_000);
      await machine.isOff(90_000);
      assert.doesNotMatch(machine.console(), /daemon serves/);
    }),
  );
});

test('with a BIOS the boot loader starts neither a changed kernel nor a changed initramfs, and says so', {
  skip,
}, async () => {
  await Promise.all(
    (['vmlinuz', 'initramfs'] as const).map(async (file) => {
      const disk = changedDisk(workplace.folder, file, 1_000_000);
      await using machine = await switchOn({ disk, boot: { kind: 'bios' } });
      await machine.shows(/The kernel or the initramfs of slot A was changed/, 300_000);
      await machine.isOff();
      assert.doesNotMatch(machine.console(), /Linux version/, file);
    }),
  );
});
