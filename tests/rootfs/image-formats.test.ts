// The formats of the disk image, against their specifications and against generated inputs.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { verityTree } from '@nodewright/disk';
import fc from 'fast-check';
import { moduleAliases, moduleIndex } from '../../rootfs/image/stage-modules.ts';
import { unifiedKernel } from '../../rootfs/image/unified-kernel.ts';
import { cpioArchive } from '../../rootfs/initramfs/cpio-archive.ts';
import { makeInitramfs } from '../../rootfs/initramfs/initramfs.ts';
import { type KernelModule, loadOrder } from '../../rootfs/initramfs/kernel-modules.ts';

/** The root hash computed level by level from the definition, without the code under test. */
function rootHashOf(data: Buffer, salt: Buffer): string {
  const digest = (block: Buffer) =>
    createHash('sha256')
      .update(Buffer.concat([salt, block, Buffer.alloc(4096 - block.length)]))
      .digest();
  const blocks = (bytes: Buffer) =>
    Array.from({ length: Math.ceil(bytes.length / 4096) }, (_, at) =>
      bytes.subarray(at * 4096, at * 4096 + 4096),
    );
  // One block of data is the top of its own tree.
  let level = data;
  while (level.length > 4096) level = Buffer.concat(blocks(level).map(digest));
  return digest(level).toString('hex');
}

test('the root hash of a tree depends on every byte and on the salt', () => {
  const uuid = Buffer.alloc(16, 1);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_200_000 }),
      fc.uint8Array({ maxLength: 64 }),
      (bytes, saltBytes) => {
        const [data, salt] = [Buffer.alloc(bytes, 'nodewright'), Buffer.from(saltBytes)];
        const { rootHash, file } = verityTree(data, { salt, uuid });
        assert.equal(rootHash, rootHashOf(data, salt));
        assert.equal(file.length % 4096, 0);
        assert.equal(file.readBigUInt64LE(72), BigInt(Math.ceil(bytes / 4096)));
        const changed = Buffer.from(data);
        changed.writeUInt8(data.readUInt8(bytes - 1) ^ 1, bytes - 1);
        assert.notEqual(verityTree(changed, { salt, uuid }).rootHash, rootHash);
      },
    ),
    { numRuns: 20 },
  );
  assert.throws(() => verityTree(Buffer.alloc(0), { salt: Buffer.alloc(0), uuid }), /no data/);
});

test('the root hash of a single block is its digest, as for the kernel', () => {
  const [data, salt] = [Buffer.from('a small layer'), Buffer.alloc(32, 2)];
  const block = Buffer.concat([data, Buffer.alloc(4096 - data.length)]);
  const { rootHash, file } = verityTree(data, { salt, uuid: Buffer.alloc(16, 1) });
  assert.equal(rootHash, createHash('sha256').update(salt).update(block).digest('hex'));
  assert.equal(file.length, 4096, 'there is no level behind the superblock');
});

test('an archive has each file with its mode, and ends with a trailer', () => {
  const archive = cpioArchive([
    { path: 'init', mode: 0o755, content: Buffer.from('#!') },
    { path: 'modules', mode: 0o755 },
    { path: 'modules/a', mode: 0o644, content: Buffer.from('abcde') },
  ]);
  const entries: string[] = [];
  for (let at = 0; at < archive.length; ) {
    assert.equal(archive.toString('latin1', at, at + 6), '070701');
    const field = (index: number) =>
      Number.parseInt(archive.toString('latin1', at + 6 + index * 8, at + 14 + index * 8), 16);
    const [mode, bytes, nameBytes] = [field(1), field(6), field(11)];
    const nameAt = at + 110;
    const contentAt = nameAt + nameBytes + ((4 - ((110 + nameBytes) % 4)) % 4);
    entries.push(
      `${archive.toString('latin1', nameAt, nameAt + nameBytes - 1)} ${mode.toString(8)} ${archive.toString('latin1', contentAt, contentAt + bytes)}`,
    );
    at = contentAt + bytes + ((4 - (bytes % 4)) % 4);
  }
  assert.deepEqual(entries, ['init 100755 #!', 'modules 40755 ', 'modules/a 100644 abcde', 'TRAILER!!! 0 ']);
});

test('modules are loaded after those that they need, and once', () => {
  const needs: Record<string, string[]> = { dm_verity: ['dm-mod', 'dm-bufio'], dm_bufio: ['dm-mod'] };
  const order = loadOrder(['loop', 'dm-verity', 'dm-mod'], (name) => needs[name] ?? []);
  assert.deepEqual(order, ['loop', 'dm_mod', 'dm_bufio', 'dm_verity']);
});

/** A program for UEFI with no section and room for some. */
function emptyStub(): Buffer {
  const stub = Buffer.alloc(1024);
  stub.write('MZ', 0, 'latin1');
  stub.writeUInt32LE(0x80, 0x3c);
  stub.write('PE\0\0', 0x80, 'latin1');
  stub.writeUInt16LE(0xf0, 0x84 + 16);
  const optional = 0x98;
  stub.writeUInt32LE(4096, optional + 32);
  stub.writeUInt32LE(512, optional + 36);
  stub.writeUInt32LE(8192, optional + 56);
  stub.writeUInt32LE(1024, optional + 60);
  return stub;
}

test('a unified kernel has its parts as sections that do not overlap', () => {
  const parts = {
    osRelease: 'ID=x\n',
    commandLine: 'console=ttyS0',
    kernelRelease: '6.12',
    kernel: Buffer.alloc(5000, 'k'),
    initramfs: Buffer.alloc(700, 'i'),
  };
  const image = unifiedKernel(emptyStub(), parts);
  const count = image.readUInt16LE(0x86);
  const sections = Array.from({ length: count }, (_, index) => {
    const at = 0x98 + 0xf0 + index * 40;
    const [bytes, address, offset] = [8, 12, 20].map((field) => image.readUInt32LE(at + field)) as [
      number,
      number,
      number,
    ];
    const name = image.toString('latin1', at, at + 8).replaceAll('\0', '');
    return { name, address, bytes, content: image.toString('latin1', offset, offset + bytes) };
  });
  assert.deepEqual(
    sections.map(({ name, content }) => [name, content.slice(0, 16)]),
    [
      ['.osrel', 'ID=x\n'],
      ['.cmdline', 'console=ttyS0'],
      ['.uname', '6.12'],
      ['.initrd', 'iiiiiiiiiiiiiiii'],
      ['.linux', 'kkkkkkkkkkkkkkkk'],
    ],
  );
  let next = 8192;
  for (const { address, bytes } of sections) {
    assert.equal(address % 4096, 0);
    assert.ok(address >= next);
    next = address + bytes;
  }
  assert.throws(() => unifiedKernel(Buffer.alloc(100), parts), /not a program for UEFI/);
});

test('the index of modules names everything that a module needs, what is loaded first last', () => {
  const module = (name: string, ...needs: string[]) => ({
    file: `${name}.ko.xz`,
    path: `kernel/net/${name}.ko.xz`,
    needs: needs.map((need) => `${need}.ko.xz`),
  });
  const modules = [module('a'), module('b', 'a'), module('c', 'a', 'b'), module('d', 'c')];
  assert.equal(
    moduleIndex(modules).replaceAll('kernel/net/', '').replaceAll('.ko.xz', ''),
    'a:\nb: a\nc: b a\nd: c b a\n',
  );
});

test('the list of aliases names each module as the kernel spells it', () => {
  const modules = [
    { file: 'virtio-net.ko.xz', aliases: ['virtio:d00000001v*'] },
    { file: 'dummy.ko.xz', aliases: ['rtnl-link-dummy'] },
    { file: 'plain.ko.xz', aliases: [] },
  ];
  assert.equal(moduleAliases(modules), 'alias rtnl-link-dummy dummy\nalias virtio:d00000001v* virtio_net\n');
});

test('an initramfs with more modules, or longer names, than its init reads is not made', () => {
  const modules = (count: number, file = 'm.ko.xz') =>
    Array.from({ length: count }, () => ({
      file,
      path: file,
      needs: [],
      aliases: [],
      content: Buffer.of(1),
    }));
  const initramfs = (now: KernelModule[], later: KernelModule[] = []) =>
    makeInitramfs(Buffer.of(1), { now, later, unlisted: [] });
  assert.ok(initramfs(modules(100), modules(28)).length > 0);
  assert.throws(() => initramfs(modules(100), modules(29)), /129 modules, but the init reads 128/);
  assert.ok(initramfs(modules(1, 'x'.repeat(63))).length > 0);
  assert.throws(() => initramfs([], modules(1, 'x'.repeat(64))), /x is longer than 63 characters/);
  assert.throws(() => initramfs(modules(128, 'x'.repeat(63))), /the list of modules is longer/);
});
