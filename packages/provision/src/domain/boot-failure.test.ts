import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootFailure } from './boot-failure.ts';

test('bootFailure() recognises a disk without a system and a changed root file system', () => {
  const line =
    '[    2.1] [initramfs] no disk has a partition labelled BOOT with the image of this kernel in slot A';
  assert.match(
    bootFailure(`Linux version 6.12\r\n${line}\r\n`) ?? '',
    /was reset, or one of another image: destroy the cluster/,
  );
  const corrupted = '[    2.0] device-mapper: verity: 254:0: data block 0 is corrupted';
  assert.match(bootFailure(corrupted) ?? '', /was changed: destroy the cluster/);
});

test('bootFailure() finds nothing in the console of a machine that boots', () => {
  assert.equal(bootFailure('[    2.1] [initramfs] switching to the root file system\r\n'), undefined);
});
