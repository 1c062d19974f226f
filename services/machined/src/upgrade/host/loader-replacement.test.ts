import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  bootCodeBytes,
  bootCodeFor,
  coreFor,
  environmentBlockBytes,
  genericMenu,
  grubMenu,
  imageArguments,
} from '@nodewright/boot';
import { Fault } from '@nodewright/fault';
import type { SystemRequest } from '../domain/upgrades.ts';
import { artefactOf, TestMachine } from '../testing/test-machine.ts';
import { folderPartition, testMemory, testSystem } from '../testing/test-system.ts';
import { createLoaderReplacement, type LoaderReplacementInit } from './loader-replacement.ts';

const request: SystemRequest = {
  ...{ image: 'registry.example/installer:v1.14.1', allowsDowngrade: false },
  ...{ extensionSet: undefined, dropsExtensions: false },
};
const sector = 512;
const biosFirst = 34;
const biosSectors = 64;
const lineOf = (rootHash: string) =>
  ['console=ttyS0', ...imageArguments({ slot: 'A', rootHash, extensions: [] })].join(' ');

/** A disk of an earlier version: GRUB in the first half of the partition BIOS, and a menu with an entry. */
async function openOldMachine(context: TestContext) {
  const { rootHash } = testSystem('image');
  const machine = await TestMachine.create(
    grubMenu([{ slot: 'A', tag: 'v1.13.0', commandLine: lineOf(rootHash) }], 3),
  );
  context.after(() => machine.remove());
  rmSync(join(machine.boot.folder, 'grub/grubenv'));
  for (const name of ['cmdline', 'entry.cfg']) rmSync(join(machine.boot.folder, 'A', name));
  const disk = Buffer.alloc((biosFirst + biosSectors) * sector);
  bootCodeFor(Buffer.alloc(bootCodeBytes, 'old'), biosFirst).copy(disk);
  coreFor(Buffer.alloc(3 * sector, 'old core'), biosFirst).copy(disk, biosFirst * sector);
  const written: number[] = [];
  machine.bios = {
    ...{ first: biosFirst, sizeBytes: biosSectors * sector },
    read: async (at, length) => Buffer.from(disk.subarray(at * sector, at * sector + length)),
    async write(at, bytes) {
      written.push(at);
      bytes.copy(disk, at * sector);
    },
  };
  const system = testSystem('new');
  const [bootCode, core] = [Buffer.alloc(bootCodeBytes, 'new'), Buffer.alloc(4 * sector, 'new core')];
  machine.open = async () =>
    artefactOf({
      ...system,
      contents: {
        ...system.contents,
        'machine/loader/grub/boot-code': bootCode,
        'machine/loader/grub/core': core,
      },
    });
  return { machine, disk, written, core, system };
}

test('the first upgrade of a disk of an earlier version replaces its GRUB and its menu, and tries the new system', async (context) => {
  const { machine, disk, written, core, system } = await openOldMachine(context);
  const first = machine.machined();
  assert.equal((await first.start()).mode, 'confirmed');
  await first.upgrade(request, machine.report);
  const half = biosFirst + biosSectors / 2;
  assert.deepEqual(written, [half, 0], 'the unused half, and then the sector that names it');
  assert.deepEqual(disk.subarray(half * sector, (half + 4) * sector), coreFor(core, half));
  const read = (path: string) => readFileSync(join(machine.boot.folder, path), 'utf8');
  assert.equal(read('grub/grub.cfg'), genericMenu());
  assert.match(read('grub/grub.cfg.old'), /v1\.13\.0/);
  assert.equal(statSync(join(machine.boot.folder, 'grub/grubenv')).size, environmentBlockBytes);
  assert.equal(read('A/cmdline'), `${lineOf(testSystem('image').rootHash)}\n`);
  const tried = await machine.powerOn();
  assert.deepEqual(machine.running, { slot: 'B', rootHash: system.rootHash });
  assert.equal((await tried.start()).mode, 'trial');
  await tried.confirm();
  await machine.powerOn();
  assert.equal(machine.running.slot, 'B');
  // The next upgrade leaves the loader alone.
  written.length = 0;
  const again = machine.machined();
  await again.start();
  await again.upgrade(request, machine.report);
  assert.deepEqual(written, []);
});

test('a disk whose GRUB cannot be replaced is not upgraded, and nothing has changed', async (context) => {
  const { machine, written } = await openOldMachine(context);
  const menu = join(machine.boot.folder, 'grub/grub.cfg');
  writeFileSync(menu, `${readFileSync(menu, 'utf8')}# of somebody else\n`);
  await assert.rejects(machine.machined().upgrade(request, machine.report), {
    kind: 'failed-precondition',
    message: /another form/,
  });
  assert.deepEqual(written, []);
  machine.bios = undefined;
});

/** A program for UEFI with these sections, and these bytes in them. */
function program(sections: Readonly<Record<string, string>>): Buffer {
  const names = Object.keys(sections);
  const head = Buffer.alloc(4096);
  head.write('MZ', 0, 'latin1');
  head.writeUInt32LE(0x80, 0x3c);
  head.write('PE\0\0', 0x80, 'latin1');
  head.writeUInt16LE(names.length, 0x80 + 6);
  head.writeUInt16LE(240, 0x80 + 20);
  head.writeUInt16LE(0x20b, 0x80 + 24);
  let offset = head.length;
  const bodies = names.map((name, index) => {
    const body = Buffer.from(sections[name] ?? '');
    const entry = 0x80 + 24 + 240 + index * 40;
    head.write(name, entry, 'latin1');
    head.writeUInt32LE(body.length, entry + 8);
    head.writeUInt32LE(body.length, entry + 16);
    head.writeUInt32LE(offset, entry + 20);
    offset += body.length;
    return body;
  });
  return Buffer.concat([head, ...bodies]);
}

function openEfi(context: TestContext, change: Partial<LoaderReplacementInit> = {}) {
  const [boot, efi] = [folderPartition('boot'), folderPartition('efi')];
  context.after(() => {
    for (const { folder } of [boot, efi]) rmSync(folder, { recursive: true });
  });
  mkdirSync(join(efi.folder, 'EFI/BOOT'), { recursive: true });
  const kernel = program({ '.linux': 'kernel', '.cmdline': lineOf('a'.repeat(64)), '.initrd': 'init' });
  writeFileSync(join(efi.folder, 'EFI/BOOT/BOOTX64.EFI'), kernel);
  const defaults: string[] = [];
  const replacement = createLoaderReplacement({
    ...{ isUefi: true, boot, efi, memory: testMemory, bios: async () => undefined, checkProgram: undefined },
    setDefault: async (slot) => void defaults.push(slot),
    programName: 'BOOTX64.EFI',
    ...change,
  });
  const loader = program({ '.text': 'loader', '.sdmagic': '#### LoaderInfo: systemd-boot 257 ####' });
  const files = new Map([['machine/loader/systemd-boot.efi', loader]]);
  const read = (path: string) => readFileSync(join(efi.folder, path));
  return { replacement, files, loader, kernel, defaults, read };
}

test('a unified kernel that firmware starts by itself gets an entry, which is the default, and systemd-boot its place', async (context) => {
  const { replacement, files, loader, kernel, defaults, read } = openEfi(context);
  assert.equal(await replacement.isOld(), true);
  await replacement.replace(files);
  assert.deepEqual(read('EFI/Linux/nodewright-a.efi'), kernel);
  assert.deepEqual(read('EFI/BOOT/BOOTX64.EFI'), loader);
  assert.match(read('loader/loader.conf').toString(), /editor no/);
  assert.deepEqual(defaults, ['A']);
  assert.equal(await replacement.isOld(), false);
  await replacement.replace(files);
  assert.deepEqual(defaults, ['A']);
});

test('a loader that the firmware would refuse does not replace what it starts', async (context) => {
  const { replacement, files, kernel, defaults, read } = openEfi(context, {
    checkProgram: () =>
      Promise.reject(new Fault('failed-precondition', 'the firmware does not have the key')),
  });
  await assert.rejects(replacement.replace(files), { message: /does not have the key/ });
  await assert.rejects(replacement.replace(new Map()), {
    message: /has no machine\/loader\/systemd-boot\.efi/,
  });
  assert.deepEqual([read('EFI/BOOT/BOOTX64.EFI'), defaults], [kernel, []]);
});
