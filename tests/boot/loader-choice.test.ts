// What systemd-boot starts by the variables of the firmware, on a machine with Secure Boot.
import assert from 'node:assert/strict';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  encodeLoaderVariable,
  entryName,
  type LoaderVariable,
  loaderConfiguration,
  loaderFiles,
  loaderVariables,
  loaderVendor,
  type Slot,
  unifiedKernelFolder,
} from '@nodewright/boot';
import { secureBootKey } from '@nodewright/build/keys';
import { sectorBytes } from '@nodewright/disk';
import { placeContent, placedPartitions } from '../../rootfs/disk/disk-image.ts';
import { makeEfiPartition } from '../../rootfs/disk/efi-partition.ts';
import { stubPath } from '../../rootfs/image/efi-names.ts';
import { unifiedKernel } from '../../rootfs/image/unified-kernel.ts';
import { signProgram } from '../../rootfs/secure-boot/authenticode.ts';
import { keysFolder, unpackTools } from '../../rootfs/workshop.ts';
import { imageFolder, noMachine as skip, startMachine } from './machine.ts';
import { openWorkplace } from './use-machine.ts';

const workplace = openWorkplace();
after(() => workplace[Symbol.dispose]());
const checkout = join(import.meta.dirname, '..', '..');

/** The disk of the image, with a signed kernel for slot B, which has no system on BOOT: its init restarts the machine. */
async function diskWithSecondKernel(): Promise<string> {
  const work = join(workplace.folder, 'work');
  mkdirSync(work);
  const tools = await unpackTools({ checkout, work, architecture: 'amd64' });
  const read = (name: string) => readFileSync(join(imageFolder, name));
  const { key, certificate } = secureBootKey(keysFolder(checkout));
  const second = unifiedKernel(readFileSync(tools.path(stubPath('amd64'))), {
    osRelease: 'NAME="nodewright"\nID=nodewright\nVERSION_ID=v1.99.0\nPRETTY_NAME="nodewright (v1.99.0)"\n',
    commandLine: read('cmdline.txt').toString().trim().replace('nodewright.slot=A', 'nodewright.slot=B'),
    ...{ kernelRelease: '6.12', kernel: read('vmlinuz'), initramfs: read('initramfs') },
  });
  const { first, last } = placedPartitions().find(({ label }) => label === 'EFI') ?? assert.fail('no EFI');
  const room = (last - first + 1) * sectorBytes;
  const partition = makeEfiPartition(tools, work, {
    ...{ bytes: room, epochSeconds: 1_700_000_000 },
    files: {
      'EFI/BOOT/BOOTX64.EFI': read('systemd-boot.efi'),
      [loaderFiles.configuration]: Buffer.from(loaderConfiguration()),
      [`${unifiedKernelFolder}/${entryName('A')}`]: read('nodewright.efi'),
      [`${unifiedKernelFolder}/${entryName('B')}`]: signProgram(second, key, certificate),
    },
  });
  const disk = workplace.machineDisk('second-kernel.raw');
  const file = openSync(disk, 'r+');
  placeContent(file, partition, { label: 'EFI', at: first * sectorBytes, room });
  closeSync(file);
  return disk;
}

const made = skip === false ? diskWithSecondKernel() : undefined;

const stored = (choice: Partial<Record<LoaderVariable, Slot>>) =>
  (Object.entries(choice) as [LoaderVariable, Slot][]).map(([variable, slot]) => ({
    ...{ name: loaderVariables[variable], vendor: loaderVendor },
    // The attributes, which the file of a variable begins with, are beside the data in the firmware.
    data: encodeLoaderVariable(entryName(slot)).subarray(4),
  }));

const startedSlots = (console: string) =>
  [...console.matchAll(/Command line: .*nodewright\.slot=([AB])/g)].map(([, slot]) => slot);

test('with Secure Boot the firmware starts a second system once, and then the default', {
  skip,
}, async () => {
  const disk = (await made) ?? assert.fail('there is no image');
  const boot = { kind: 'secure-boot', variables: stored({ default: 'A', oneShot: 'B' }) } as const;
  await using machine = await startMachine({ disk, keepsDisk: true, restarts: true, boot });
  await machine.shows(/vda3 has not the image of this kernel in slot B/);
  await machine.shows(/maintenance: waiting for a machine configuration/);
  assert.deepEqual(startedSlots(machine.console()), ['B', 'A']);
});

test('without a choice slot A is started, although the other system is newer', { skip }, async () => {
  const disk = (await made) ?? assert.fail('there is no image');
  await using machine = await startMachine({ disk, keepsDisk: true, boot: { kind: 'secure-boot' } });
  await machine.shows(/\[initramfs\] image \/boot\/A\/rootfs\.squashfs/);
  assert.deepEqual(startedSlots(machine.console()), ['A']);
});
