import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { checkBootFiles } from './boot-files.ts';

test('checkBootFiles() names the file whose digest is another one or is not listed', () => {
  const files = { vmlinuz: Buffer.from('kernel'), initramfs: Buffer.from('init') };
  const line = (name: 'vmlinuz' | 'initramfs') =>
    `${createHash('sha256').update(files[name]).digest('hex')}  ${name}\n`;
  const list = line('vmlinuz') + line('initramfs');
  checkBootFiles(list, files);
  const rejects = (text: string, changed: Partial<typeof files>, message: RegExp) =>
    assert.throws(() => checkBootFiles(text, { ...files, ...changed }), message);
  rejects(list, { vmlinuz: Buffer.from('kernem') }, /vmlinuz differs from its digest in the list/);
  rejects(list, { initramfs: Buffer.from('') }, /initramfs differs/);
  rejects(line('vmlinuz'), {}, /initramfs differs/);
  rejects('', {}, /vmlinuz differs/);
  // The digest of one file says nothing about the other.
  rejects(list, { vmlinuz: files.initramfs }, /vmlinuz differs/);
});
