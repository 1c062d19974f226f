import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseInstallDisk, type InstallDisk, type InstallWish } from './install-disk.ts';

const needed = 4_000_000_000;
const blank: InstallDisk = {
  ...{ path: '/dev/vda', links: ['/dev/disk/by-id/virtio-one'], sizeBytes: 10e9, sectorBytes: 512 },
  ...{ isReadOnly: false, isCd: false, isVirtual: false, isMedium: false, model: '', serial: 'one' },
  ...{ user: undefined, content: 'blank', detail: '' },
};
const cd: InstallDisk = { ...blank, path: '/dev/sr0', links: [], serial: '', isCd: true, isReadOnly: true };
const wish: InstallWish = { disk: '/dev/vda', selection: undefined, wipes: false };

const refusal = (disks: readonly InstallDisk[], wanted: Partial<InstallWish> = {}) => {
  const choice = chooseInstallDisk({ ...wish, ...wanted }, disks, needed);
  return 'refusal' in choice ? choice.refusal : choice.disk.path;
};

test('chooseInstallDisk() takes a disk by its path, by a link, and by a selector that matches it alone', () => {
  const disks = [blank, cd];
  assert.equal(refusal(disks), '/dev/vda');
  assert.equal(refusal(disks, { disk: '/dev/disk/by-id/virtio-one' }), '/dev/vda');
  assert.equal(refusal(disks, { disk: '', selection: { selected: ['/dev/vda', '/dev/sr0'] } }), '/dev/vda');
  const stick = { ...blank, path: '/dev/sda', links: [], isMedium: true };
  const both = { selected: ['/dev/sda', '/dev/vda'] };
  assert.equal(refusal([stick, blank], { disk: '', selection: both }), '/dev/vda');
});

test('chooseInstallDisk() says what is wrong, and lists the disks', () => {
  const listed = /; the disks of this machine are \/dev\/vda \(10\.0 GB, serial one\): /;
  const other = { ...blank, path: '/dev/vdb', links: [] };
  const bySelector = (...selected: string[]) => ({ disk: '', selection: { selected } });
  const cases: readonly (readonly [readonly InstallDisk[], Partial<InstallWish>, RegExp])[] = [
    [[blank], { disk: '/dev/sda' }, /^this machine has no disk "\/dev\/sda"/],
    [[blank], { disk: '' }, /^no disk is named to install on/],
    [[blank], bySelector(), /^no disk matched the selector/],
    [[blank], { disk: '', selection: { problem: 'the selector is broken' } }, /^the selector is broken/],
    [
      [blank, other],
      bySelector('/dev/vda', '/dev/vdb'),
      /^the selector matches 2 disks, \/dev\/vda and \/dev\/vdb/,
    ],
    [[blank, cd], { disk: '/dev/sr0' }, /^\/dev\/sr0 is a CD-ROM/],
    [[blank, { ...other, isReadOnly: true }], { disk: '/dev/vdb' }, /^\/dev\/vdb is read-only/],
    [[blank, { ...other, isVirtual: true }], { disk: '/dev/vdb' }, /^\/dev\/vdb is made from other devices/],
    [
      [blank, { ...other, isMedium: true }],
      { disk: '/dev/vdb', wipes: true },
      /^\/dev\/vdb is the medium that this machine was started from/,
    ],
    [[blank, { ...other, sectorBytes: 4096 }], { disk: '/dev/vdb' }, /^\/dev\/vdb has sectors of 4096 bytes/],
    [
      [blank, { ...other, sizeBytes: 3e9 }],
      { disk: '/dev/vdb' },
      /^\/dev\/vdb has 3\.0 GB, and at least 4\.0 GB/,
    ],
    [
      [blank, { ...other, user: '/dev/vdb1 is mounted' }],
      { disk: '/dev/vdb' },
      /in use: \/dev\/vdb1 is mounted/,
    ],
    [[blank, { ...other, content: 'unknown', detail: 'EIO' }], { disk: '/dev/vdb' }, /cannot be read: EIO/],
  ];
  for (const [disks, wanted, expected] of cases) {
    assert.match(refusal(disks, wanted), expected);
    assert.match(refusal(disks, wanted), listed);
  }
  assert.match(refusal([]), /; this machine has no disks$/);
});

test('chooseInstallDisk() destroys nothing that was not given up', () => {
  const system = { ...blank, content: 'system', detail: 'partitions EFI, BOOT' } as const;
  const other = { ...blank, content: 'other', detail: 'ext4' } as const;
  assert.match(
    refusal([system]),
    /^\/dev\/vda has a system \(partitions EFI, BOOT\), and is overwritten only when/,
  );
  assert.match(refusal([other]), /^\/dev\/vda is not empty \(ext4\), and is overwritten only when/);
  for (const disk of [system, other]) assert.equal(refusal([disk], { wipes: true }), '/dev/vda');
  // A medium that is started once more with a configuration that says nothing of it must not destroy the machine.
  assert.match(
    refusal([system], { wipes: undefined }),
    /^\/dev\/vda has a system \(partitions EFI, BOOT\), and/,
  );
  assert.equal(refusal([other], { wipes: undefined }), '/dev/vda');
  assert.equal(refusal([{ ...blank, content: 'begun' }]), '/dev/vda');
});

test('chooseInstallDisk() installs on no machine that has a system on another disk', () => {
  const second = {
    ...blank,
    path: '/dev/vdb',
    links: [],
    content: 'system',
    detail: 'partitions EFI',
  } as const;
  for (const wipes of [false, true])
    assert.match(refusal([blank, second], { wipes }), /^\/dev\/vdb has a system already \(partitions EFI\)/);
});

test('chooseInstallDisk() lists some of many disks, and no character of a disk that a terminal interprets', () => {
  const many = Array.from({ length: 40 }, (_, index) => ({
    ...blank,
    path: `/dev/sd${index}`,
    model: `\u001b[2J${'x'.repeat(200)}`,
  }));
  const text = refusal(many, { disk: `/dev/${'y'.repeat(5000)}` });
  assert.ok(text.length < 3000, String(text.length));
  assert.match(text, /and 24 others$/);
  assert.doesNotMatch(text, /[^\x20-\x7e]/);
});
