import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type BootLoaderBench, PowerFailure, testBootLoader } from '../conformance/index.ts';
import { digestList } from '../slot/digest-list.ts';
import type { Slot } from '../slot/slot.ts';
import { MemoryFiles, writeCounter } from '../testing/memory-files.ts';
import { testUnifiedKernel } from '../testing/unified-kernel.ts';
import { slotOfEntry } from './entry-name.ts';
import { encodeLoaderVariable, type LoaderVariable, parseLoaderVariable } from './loader-variable.ts';
import { createSystemdBootLoader } from './systemd-boot-loader.ts';
import { unifiedKernelSections } from './unified-kernel.ts';

const fileOf = (slot: Slot) => `EFI/Linux/nodewright-${slot.toLowerCase()}.efi`;

function openSystemdBoot() {
  const { failAfter, onWrite } = writeCounter(() => {
    throw new PowerFailure();
  });
  const [efi, boot] = [new MemoryFiles(), new MemoryFiles()];
  const variables = new Map<LoaderVariable, Uint8Array>();
  const slotIn = (variable: LoaderVariable) =>
    slotOfEntry(parseLoaderVariable(variables.get(variable) ?? Buffer.of()));
  const loader = createSystemdBootLoader({
    efi,
    boot,
    variables: {
      read: async (variable) => variables.get(variable),
      async write(variable, file) {
        variables.set(variable, file);
        onWrite();
      },
      async remove(variable) {
        variables.delete(variable);
        onWrite();
      },
    },
  });
  const bench: BootLoaderBench = {
    loader,
    install(slot, { rootHash, kernel, initramfs, commandLine }) {
      boot.contents.set(`${slot}/roothash`, Buffer.from(`${rootHash}\n`));
      boot.contents.set(`${slot}/SHA256SUMS`, Buffer.from(digestList({ vmlinuz: kernel, initramfs })));
      const sections = { '.cmdline': Buffer.from(commandLine), '.initrd': initramfs, '.linux': kernel };
      efi.contents.set(fileOf(slot), testUnifiedKernel(sections));
    },
    spoil: (slot) => boot.contents.delete(`${slot}/SHA256SUMS`),
    damageKernel(slot) {
      const file = efi.contents.get(fileOf(slot)) ?? Buffer.of();
      efi.damage(fileOf(slot), unifiedKernelSections(file).get('.linux')?.offset);
    },
    loseChoice() {
      for (const variable of variables.keys()) variables.set(variable, Buffer.from([7, 0, 0, 0, 0x41]));
    },
    start() {
      const once = slotIn('oneShot');
      variables.delete('oneShot');
      return once ?? slotIn('default') ?? 'A';
    },
    failAfter,
    untouchable: () => efi.digest() + boot.digest(),
  };
  return { ...bench, efi, boot, variables };
}

testBootLoader('systemd-boot', openSystemdBoot);

const rootHash = 'a'.repeat(64);
const content = {
  ...{ rootHash, kernel: Buffer.from('k'), initramfs: Buffer.from('i') },
  commandLine: `nodewright.roothash=${rootHash}`,
};

test('a slot whose unified kernel is missing, damaged, or starts another root is no entry', async () => {
  const other = `nodewright.roothash=${'b'.repeat(64)}`;
  const files = [
    undefined,
    Buffer.alloc(0),
    Buffer.from('MZ'),
    testUnifiedKernel({}),
    testUnifiedKernel({ '.cmdline': Buffer.from(other) }),
    testUnifiedKernel({ '.cmdline': Buffer.from('quiet') }),
    testUnifiedKernel({ '.cmdline': Buffer.alloc(1 << 16, 'x') }),
    testUnifiedKernel({ '.cmdline': Buffer.from(content.commandLine) }).subarray(0, 1030),
  ];
  for (const file of files) {
    const { loader, install, efi } = openSystemdBoot();
    install('A', content);
    if (file === undefined) efi.contents.delete(fileOf('A'));
    else efi.contents.set(fileOf('A'), file);
    assert.deepEqual((await loader.state()).entries, [], `${file?.length} bytes`);
    await assert.rejects(loader.chooseOnce('A'), { kind: 'failed-precondition' });
  }
});

test('a variable that names another entry counts as none', async () => {
  const { loader, install, variables } = openSystemdBoot();
  install('A', content);
  for (const name of ['Talos-v1.14.0.efi', 'auto-windows', '@saved', 'nodewright-*.efi']) {
    variables.set('default', encodeLoaderVariable(name));
    assert.equal((await loader.state()).default, undefined, name);
  }
  variables.set('default', encodeLoaderVariable('NODEWRIGHT-A.EFI'));
  assert.equal((await loader.state()).default, 'A');
});

test('unifiedKernelSections() takes the first section of a name, and any bytes', () => {
  const file = testUnifiedKernel({ '.linux': Buffer.from('kernel'), '.initrd': Buffer.from('init') });
  const section = unifiedKernelSections(file).get('.initrd') ?? assert.fail();
  assert.equal(file.toString('latin1', section.offset, section.offset + section.bytes), 'init');
  const renamed = Buffer.from(file);
  renamed.write('.linux\0\0', 0x80 + 24 + 16 + 40, 'latin1');
  assert.equal(unifiedKernelSections(renamed).get('.linux')?.bytes, 6);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(399), fc.nat(255)), { maxLength: 20 }), (changes) => {
      const changed = Buffer.from(file.subarray(0, 400));
      for (const [at, byte] of changes) changed.writeUInt8(byte, at);
      try {
        unifiedKernelSections(changed);
      } catch (error) {
        assert.equal((error as { kind?: string }).kind, 'data-loss', String(error));
      }
    }),
  );
});
