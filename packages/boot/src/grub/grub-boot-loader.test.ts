import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BootLoaderBench, PowerFailure, testBootLoader } from '../conformance/index.ts';
import { digestList } from '../slot/digest-list.ts';
import { MemoryFiles, writeCounter } from '../testing/memory-files.ts';
import { choiceEnvironment, slotChoiceIn } from './choice-variables.ts';
import { encodeEnvironmentBlock, environmentBlockBytes, parseEnvironmentBlock } from './environment-block.ts';
import { genericMenu } from './generic-menu.ts';
import { createGrubBootLoader, grubFiles } from './grub-boot-loader.ts';
import { grubMenu } from './menu.ts';

function openGrub(): BootLoaderBench & { readonly files: MemoryFiles } {
  const { failAfter, onWrite } = writeCounter(() => {
    throw new PowerFailure();
  });
  const files = new MemoryFiles(onWrite);
  const put = (path: string, content: Buffer | string) => files.contents.set(path, Buffer.from(content));
  put(grubFiles.menu, genericMenu());
  put(grubFiles.environment, encodeEnvironmentBlock(new Map()));
  return {
    files,
    loader: createGrubBootLoader(files),
    install(slot, { rootHash, kernel, initramfs, commandLine }) {
      put(`${slot}/vmlinuz`, kernel);
      put(`${slot}/initramfs`, initramfs);
      put(`${slot}/cmdline`, `${commandLine}\n`);
      put(`${slot}/roothash`, `${rootHash}\n`);
      put(`${slot}/SHA256SUMS`, digestList({ vmlinuz: kernel, initramfs }));
    },
    spoil: (slot) => files.contents.delete(`${slot}/SHA256SUMS`),
    damageKernel: (slot) => files.damage(`${slot}/vmlinuz`),
    loseChoice: () => files.damage(grubFiles.environment),
    start() {
      const choice = slotChoiceIn(
        parseEnvironmentBlock(files.contents.get(grubFiles.environment) ?? Buffer.of()),
      );
      if (choice.once === undefined) return choice.default ?? 'A';
      put(grubFiles.environment, encodeEnvironmentBlock(choiceEnvironment({ ...choice, once: undefined })));
      return choice.once;
    },
    failAfter,
    untouchable: () => files.digest([grubFiles.environment]),
  };
}

testBootLoader('GRUB', openGrub);

const content = {
  ...{ rootHash: 'a'.repeat(64), kernel: Buffer.from('k'), initramfs: Buffer.from('i') },
  commandLine: 'panic=10',
};

test('a menu that does not read the environment has no stored choice, and none can be stored', async () => {
  const { loader, install, files } = openGrub();
  install('A', content);
  files.contents.delete('A/cmdline');
  const old = grubMenu([{ slot: 'A', tag: 'v1', commandLine: 'panic=10' }], 3);
  files.contents.set(grubFiles.menu, Buffer.from(old));
  files.contents.set(
    grubFiles.environment,
    encodeEnvironmentBlock(choiceEnvironment({ default: 'B', once: 'B' })),
  );
  const { default: byDefault, once } = await loader.state();
  assert.deepEqual([byDefault, once], [undefined, undefined]);
  for (const change of [loader.chooseOnce('A'), loader.confirm('A')])
    await assert.rejects(change, {
      kind: 'failed-precondition',
      message: /does not read its environment block/,
    });
  // The command line of such a disk is in its menu.
  assert.equal((await loader.loadForKexec('A')).commandLine, 'panic=10');
});

test('an environment block that GRUB could not overwrite is not made by the machine', async () => {
  for (const block of [
    undefined,
    Buffer.alloc(0),
    Buffer.alloc(environmentBlockBytes - 1),
    Buffer.alloc(4096),
  ]) {
    const { loader, install, files } = openGrub();
    install('A', content);
    if (block === undefined) files.contents.delete(grubFiles.environment);
    else files.contents.set(grubFiles.environment, block);
    await assert.rejects(loader.confirm('A'), {
      kind: 'failed-precondition',
      message: /grubenv does not have 1024/,
    });
    assert.equal((await loader.state()).default, undefined);
  }
});

test('a slot with a damaged list of digests or root hash is no entry, and files above their limits are not read', async () => {
  for (const [path, bytes] of [
    ['A/SHA256SUMS', Buffer.from('x')],
    ['A/SHA256SUMS', Buffer.alloc(1 << 20, 'x')],
    ['A/SHA256SUMS', Buffer.from(digestList({ vmlinuz: Buffer.from('k') }))],
    ['A/roothash', Buffer.from('a'.repeat(64))],
    ['A/roothash', Buffer.alloc(1 << 20, 'a')],
  ] as const) {
    const { loader, install, files } = openGrub();
    install('A', content);
    files.contents.set(path, bytes);
    assert.deepEqual((await loader.state()).entries, [], path);
  }
  const { loader, install, files } = openGrub();
  install('A', content);
  files.contents.set('A/initramfs', Buffer.alloc((64 << 20) + 1));
  await assert.rejects(loader.loadForKexec('A'), { kind: 'resource-exhausted' });
  files.contents.set(grubFiles.menu, Buffer.alloc(1 << 17, '#'));
  await assert.rejects(loader.state(), { kind: 'resource-exhausted' });
});
