import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loaderConfiguration } from '../systemd-boot/loader-configuration.ts';
import { testUnifiedKernel } from '../testing/unified-kernel.ts';
import { planSystemdBoot } from './plan-systemd-boot.ts';

const commandLine = 'panic=10 nodewright.slot=A';
const kernel = testUnifiedKernel({ '.linux': Buffer.from('kernel'), '.cmdline': Buffer.from(commandLine) });
const loader = testUnifiedKernel({ '.sdmagic': Buffer.from('#### LoaderInfo: systemd-boot 257 ####') });
const facts = { name: 'BOOTX64.EFI', head: kernel, commandLine, names: ['BOOTX64.EFI'], loader };

test('the unified kernel gets an entry that is the default before the program of the firmware is replaced', () => {
  assert.deepEqual(planSystemdBoot(facts), {
    steps: [
      {
        ...{ kind: 'copy file', partition: 'EFI', from: 'EFI/BOOT/BOOTX64.EFI' },
        path: 'EFI/Linux/nodewright-a.efi',
      },
      {
        ...{ kind: 'write file', partition: 'EFI', path: 'loader/loader.conf' },
        bytes: Buffer.from(loaderConfiguration()),
      },
      { kind: 'set default', slot: 'A' },
      { kind: 'write file', partition: 'EFI', path: 'EFI/BOOT/LOADER0.EFI', bytes: loader },
      {
        ...{ kind: 'replace file', partition: 'EFI', from: 'EFI/BOOT/LOADER0.EFI' },
        path: 'EFI/BOOT/BOOTX64.EFI',
      },
    ],
  });
});

/** What the firmware starts: the old program, or the loader with what it reads. Undefined: nothing. */
function started(disk: ReadonlyMap<string, Buffer>, byDefault: string | undefined): string | undefined {
  const program = disk.get('EFI/BOOT/BOOTX64.EFI');
  if (program?.equals(kernel)) return 'A';
  const hasEntry = disk.get('EFI/Linux/nodewright-a.efi')?.equals(kernel) ?? false;
  const isConfigured = `${disk.get('loader/loader.conf')}` === loaderConfiguration();
  return program?.equals(loader) && hasEntry && isConfigured ? byDefault : undefined;
}

test('every start has the same system, after each step and after a part of one', () => {
  const disk = new Map([['EFI/BOOT/BOOTX64.EFI', kernel]]);
  let byDefault: string | undefined;
  const plan = planSystemdBoot(facts);
  for (const step of 'steps' in plan ? plan.steps : assert.fail(plan.refusal)) {
    switch (step.kind) {
      case 'copy file':
      case 'write file': {
        const bytes = step.kind === 'write file' ? step.bytes : (disk.get(step.from) ?? Buffer.of());
        disk.set(step.path, bytes.subarray(0, 10));
        assert.equal(started(disk, byDefault), 'A', `in the middle of ${step.path}`);
        disk.set(step.path, bytes);
        break;
      }
      case 'set default':
        byDefault = step.slot;
        break;
      case 'replace file':
        disk.set(step.path, disk.get(step.from) ?? Buffer.of());
        // The name of the new file may be left.
        assert.equal(started(disk, byDefault), 'A');
        disk.delete(step.from);
        break;
      default:
        assert.fail(step.kind);
    }
    assert.equal(started(disk, byDefault), 'A', `after ${step.kind}`);
  }
  assert.ok(disk.get('EFI/BOOT/BOOTX64.EFI')?.equals(loader));
});

test('a file of an earlier attempt is neither written again nor removed', () => {
  const plan = planSystemdBoot({ ...facts, names: ['BOOTX64.EFI', 'LOADER0.EFI', 'LOADER2.EFI'] });
  assert.match(JSON.stringify(plan), /LOADER1\.EFI/);
  assert.doesNotMatch(JSON.stringify(plan), /LOADER[02]\.EFI/);
  const names = Array.from({ length: 10 }, (_, index) => `LOADER${index}.EFI`);
  assert.match(JSON.stringify(planSystemdBoot({ ...facts, names })), /10 files of earlier attempts/);
});

test('systemd-boot stays, and a program of somebody else is left alone', () => {
  assert.deepEqual(planSystemdBoot({ ...facts, head: loader, commandLine: undefined }), { steps: [] });
  const foreign = testUnifiedKernel({ '.text': Buffer.from('shim') });
  const refused = [
    { head: foreign, commandLine: undefined },
    { head: Buffer.alloc(100), commandLine: undefined },
    { head: kernel, commandLine: undefined },
  ].map((given) => planSystemdBoot({ ...facts, ...given }));
  assert.deepEqual(
    refused.map((plan) => ('refusal' in plan ? plan.refusal : 'none')),
    [
      'EFI/BOOT/BOOTX64.EFI is neither systemd-boot nor a unified kernel',
      'EFI/BOOT/BOOTX64.EFI is no program for UEFI',
      'EFI/BOOT/BOOTX64.EFI has no command line',
    ],
  );
});
