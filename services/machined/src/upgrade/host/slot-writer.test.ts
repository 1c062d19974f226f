import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { checkDigests, createGrubBootLoader, type Slot } from '@nodewright/boot';
import { folderPartition, newSystem, testMemory, testSystem } from '../testing/test-system.ts';
import { accessTo, type PartitionAccess, type PartitionFiles } from './partition-files.ts';
import { createSlotWriter } from './slot-writer.ts';

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

class InjectedFault extends Error {}

interface Faults {
  /** Fails the operation with this number, counted from 1. */
  readonly failAt?: number;
  /** Changes a byte of what the read with this number returns. */
  readonly spoilReadAt?: number;
}

/** A machine that runs slot A, with an older system in B. */
function openBench({ failAt, spoilReadAt }: Faults = {}) {
  const [boot, efi] = [folderPartition('boot'), folderPartition('efi')];
  folders.push(boot.folder, efi.folder);
  for (const slot of ['A', 'B'])
    for (const name of ['vmlinuz', 'SHA256SUMS', 'sets/active']) {
      const path = join(boot.folder, slot, name);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, `old ${name} of ${slot}`);
    }
  mkdirSync(join(efi.folder, 'EFI/Linux'), { recursive: true });
  for (const slot of ['a', 'b'])
    writeFileSync(join(efi.folder, `EFI/Linux/nodewright-${slot}.efi`), `old ${slot}`);
  const counted = { operations: 0, reads: 0 };
  const count = () => {
    counted.operations += 1;
    if (counted.operations === failAt) throw new InjectedFault('the disk fails');
  };
  const spoiled = (files: PartitionFiles): PartitionFiles => ({
    async write(path, content) {
      count();
      await files.write(path, countedPieces(content, count));
    },
    async *read(path) {
      count();
      counted.reads += 1;
      const isSpoiled = counted.reads === spoilReadAt;
      for await (const piece of files.read(path)) {
        if (isSpoiled) piece[piece.length - 2] = (piece[piece.length - 2] ?? 0) ^ 1;
        yield piece;
      }
    },
    async rename(from, to) {
      count();
      await files.rename(from, to);
    },
    async remove(path) {
      count();
      await files.remove(path);
    },
    sizeOf: (path) => files.sizeOf(path),
    freeBytes: () => files.freeBytes(),
  });
  const access = (partition: typeof boot): PartitionAccess => {
    const plain = accessTo(partition, testMemory);
    return {
      read: (work) => plain.read((files) => work(spoiled(files))),
      write: (work) => plain.write((files, flush) => work(spoiled(files), flush)),
    };
  };
  const writer = createSlotWriter({ boot: access(boot), efi: access(efi) });
  const plainWriter = createSlotWriter({
    ...{ boot: accessTo(boot, testMemory), efi: accessTo(efi, testMemory) },
  });
  return { writer, plainWriter, counted, boot: boot.folder, efi: efi.folder };
}

async function* countedPieces(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  count: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    count();
    yield piece;
  }
}

/** The digest of everything in a folder but the paths that begin like that. */
function digestOf(folder: string, except: string): string {
  const hash = createHash('sha256');
  for (const path of (readdirSync(folder, { recursive: true }) as string[]).sort())
    if (!path.startsWith(except)) {
      hash.update(path);
      if (existsSync(join(folder, path)) && !readdirIsPossible(join(folder, path)))
        hash.update(readFileSync(join(folder, path)));
    }
  return hash.digest('hex');
}

function readdirIsPossible(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}

const others = (bench: ReturnType<typeof openBench>) =>
  digestOf(bench.boot, 'B') + digestOf(bench.efi, 'EFI/Linux/nodewright-b');

const isEntry = ({ boot, efi }: ReturnType<typeof openBench>) =>
  existsSync(join(boot, 'B/SHA256SUMS')) || existsSync(join(efi, 'EFI/Linux/nodewright-b.efi'));

async function writeSystem({ writer }: ReturnType<typeof openBench>, slot: Slot, text: string) {
  await writer.empty(slot);
  await writer.fill(slot, newSystem(slot, testSystem(text)));
  await writer.complete(slot);
}

test('the writer replaces the system of a slot, and the boot loader finds it as a whole', async () => {
  const bench = openBench();
  const before = others(bench);
  await writeSystem(bench, 'B', 'new');
  const { contents, rootHash } = testSystem('new');
  const read = (name: string) => readFileSync(join(bench.boot, 'B', name));
  assert.deepEqual(readdirSync(join(bench.boot, 'B')).sort(), [
    ...[
      'SHA256SUMS',
      'cmdline',
      'entry.cfg',
      'initramfs',
      'rootfs.squashfs',
      'rootfs.verity',
      'roothash',
      'vmlinuz',
    ],
  ]);
  checkDigests(read('SHA256SUMS').toString(), { vmlinuz: read('vmlinuz'), initramfs: read('initramfs') });
  assert.deepEqual(read('rootfs.squashfs'), contents['machine/rootfs.squashfs']);
  assert.deepEqual(read('cmdline'), contents['machine/B/cmdline']);
  assert.deepEqual(
    readFileSync(join(bench.efi, 'EFI/Linux/nodewright-b.efi')),
    contents['machine/B/nodewright.efi'],
  );
  assert.equal(others(bench), before, 'nothing else has changed');
  mkdirSync(join(bench.boot, 'grub'));
  writeFileSync(join(bench.boot, 'grub/grub.cfg'), '');
  const files = {
    read: async (path: string) =>
      existsSync(join(bench.boot, path)) ? readFileSync(join(bench.boot, path)) : undefined,
    overwrite: async () => {},
  };
  const { kernel } = await createGrubBootLoader(files).loadForKexec('B');
  assert.deepEqual(kernel, contents['machine/vmlinuz']);
  assert.equal(read('roothash').toString(), `${rootHash}\n`);
});

test('a fault at any operation leaves no boot entry, and nothing else has changed', async () => {
  const all = openBench();
  await writeSystem(all, 'B', 'new');
  assert.ok(all.counted.operations > 30, `${all.counted.operations} operations`);
  for (let failAt = 1; failAt <= all.counted.operations; failAt += 1) {
    const bench = openBench({ failAt });
    const before = others(bench);
    await assert.rejects(writeSystem(bench, 'B', 'new'), InjectedFault);
    assert.equal(others(bench), before, `operation ${failAt} changes something else`);
    const isWhole = isEntry(bench) && existsSync(join(bench.boot, 'B/rootfs.squashfs'));
    // Before the first removal the old system is whole; between the two last renames the new one is.
    if (isEntry(bench) && !isWhole)
      assert.ok(existsSync(join(bench.boot, 'B/vmlinuz')), `operation ${failAt}`);
    await bench.plainWriter.empty('B');
    assert.deepEqual([isEntry(bench), readdirSync(bench.boot)], [false, ['A']], `operation ${failAt}`);
    assert.equal(others(bench), before);
  }
});

test('a disk that gives back other bytes than were written is found at each file, and the slot is no boot entry', async () => {
  const all = openBench();
  await writeSystem(all, 'B', 'new');
  assert.equal(all.counted.reads, 7 + 3 + 2);
  for (let spoilReadAt = 1; spoilReadAt <= all.counted.reads; spoilReadAt += 1) {
    const bench = openBench({ spoilReadAt });
    await assert.rejects(writeSystem(bench, 'B', 'new'), { kind: 'data-loss' }, `read ${spoilReadAt}`);
    assert.equal(isEntry(bench), false);
  }
});

test('an artefact whose root does not have the root hash that was signed is found before it is a boot entry', async () => {
  const [one, other] = [testSystem('one'), testSystem('other')];
  const wrong = (name: string) => ({ ...one.contents, [name]: other.contents[name] as Buffer });
  const rows: [string, ReturnType<typeof testSystem>][] = [
    ['names another root hash', { ...one, rootHash: other.rootHash }],
    ['does not have its root hash', { ...one, contents: wrong('machine/rootfs.squashfs') }],
    ['does not have its root hash', { ...one, contents: wrong('machine/rootfs.verity') }],
    ['names another root hash', { ...one, contents: wrong('machine/B/cmdline') }],
  ];
  for (const [message, system] of rows) {
    const bench = openBench();
    await bench.writer.empty('B');
    await assert.rejects(bench.writer.fill('B', newSystem('B', system)), {
      kind: 'data-loss',
      message: new RegExp(message),
    });
    assert.equal(isEntry(bench), false);
  }
});

test('a slot is marked as tried by an empty file, and the mark goes with the slot', async () => {
  const { writer, boot } = openBench();
  await writer.mark('B');
  assert.equal(readFileSync(join(boot, 'B/trial')).length, 0);
  await writer.unmark('B');
  assert.equal(existsSync(join(boot, 'B/trial')), false);
  await writer.unmark('B');
  await writer.mark('B');
  await writer.empty('B');
  assert.equal(existsSync(join(boot, 'B')), false);
});
