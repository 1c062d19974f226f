import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  choiceEnvironment,
  digestList,
  encodeEnvironmentBlock,
  type Slot,
  type SlotChoice,
  slotEntry,
  slots,
} from '@nodewright/boot';
import { readAsGrub } from './read-as-grub.ts';

type Files = Record<string, Buffer>;

function filesOf(slot: Slot): Files {
  const content = { vmlinuz: Buffer.from(`kernel ${slot}`), initramfs: Buffer.from(`initramfs ${slot}`) };
  return {
    [`${slot}/vmlinuz`]: content.vmlinuz,
    [`${slot}/initramfs`]: content.initramfs,
    [`${slot}/SHA256SUMS`]: Buffer.from(digestList(content)),
    [`${slot}/entry.cfg`]: Buffer.from(slotEntry({ slot, tag: 'v1', commandLine: `words of ${slot}` })),
  };
}

const disk = (choice: SlotChoice): Files => ({
  'grub/grubenv': encodeEnvironmentBlock(choiceEnvironment(choice)),
  ...Object.assign({}, ...slots.map(filesOf)),
});
const started = (files: Files) => readAsGrub((path) => files[path]).slot;
const without = (files: Files, name: string) => {
  const { [name]: _, ...others } = files;
  return others;
};

test('what is chosen once is started before the default, and without a choice slot A is', () => {
  assert.equal(started(disk({ default: 'A', once: undefined })), 'A');
  assert.equal(started(disk({ default: 'B', once: undefined })), 'B');
  assert.equal(started(disk({ default: 'A', once: 'B' })), 'B');
  assert.equal(started(disk({ default: 'B', once: 'A' })), 'A');
  assert.equal(started(without(disk({ default: 'B', once: undefined }), 'grub/grubenv')), 'A');
});

test('a slot that is not complete, or whose kernel was changed, is left for the other one', () => {
  const files = disk({ default: 'B', once: undefined });
  for (const name of ['SHA256SUMS', 'entry.cfg', 'vmlinuz', 'initramfs'])
    assert.equal(started(without(files, `B/${name}`)), 'A', name);
  const entry = files['B/entry.cfg']?.toString() ?? '';
  const cut = Buffer.from(entry.slice(0, entry.indexOf('set complete')));
  assert.equal(started({ ...files, 'B/entry.cfg': cut }), 'A');
  assert.equal(started({ ...files, 'B/vmlinuz': Buffer.from('another kernel') }), 'A');
});

test('a disk without a complete slot starts none', () => {
  assert.equal(started({}), undefined);
});

test('the command line, the kernel and the initramfs are those of the slot', () => {
  const { commandLine, kernel, initramfs } = readAsGrub(
    (path) => disk({ default: 'B', once: undefined })[path],
  );
  assert.equal(commandLine, 'words of B');
  assert.equal(kernel.toString(), 'kernel B');
  assert.equal(initramfs.toString(), 'initramfs B');
});
