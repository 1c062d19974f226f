// A small artefact whose root has a real hash tree, and partitions that are folders.
import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageArguments, type Slot, slots } from '@nodewright/boot';
import { verityTree } from '@nodewright/disk';
import { type ArtefactFile, neededFiles } from '@nodewright/installer';
import { loadNativeCalls } from '@nodewright/linux';
import type { MountedPartition } from '../../base/host/mounted-partition.ts';
import { placedFiles } from '../domain/slot-plan.ts';
import { alignedMemory } from '../host/partition-files.ts';
import type { NewSystem } from '../host/slot-writer.ts';

export interface TestSystem {
  readonly rootHash: string;
  /** By path in the artefact. */
  readonly contents: Readonly<Record<string, Buffer>>;
}

/** The files of a machine in an artefact, whose root holds the text. */
export function testSystem(text: string): TestSystem {
  const squashfs = Buffer.from(text.padEnd(20_000, '.'));
  const salt = createHash('sha256').update(text).digest();
  const { rootHash, file: tree } = verityTree(squashfs, { salt, uuid: salt.subarray(0, 16) });
  const lines = Object.fromEntries(
    slots.map((slot) => [
      slot,
      ['console=ttyS0', ...imageArguments({ slot, rootHash, extensions: [] })].join(' '),
    ]),
  ) as Record<Slot, string>;
  const ofSlot = (slot: Slot) => ({
    [`machine/${slot}/cmdline`]: Buffer.from(`${lines[slot]}\n`),
    [`machine/${slot}/entry.cfg`]: Buffer.from(`# ${lines[slot]}\n`),
    [`machine/${slot}/nodewright.efi`]: unifiedKernel(
      lines[slot],
      `kernel of ${text}`,
      `initramfs of ${text}`,
    ),
  });
  return {
    rootHash,
    contents: {
      ...Object.fromEntries(neededFiles.machine.map((path) => [path, Buffer.from(path)])),
      'machine/vmlinuz': Buffer.from(`kernel of ${text}`),
      'machine/initramfs': Buffer.from(`initramfs of ${text}`),
      'machine/rootfs.squashfs': squashfs,
      'machine/rootfs.verity': tree,
      ...ofSlot('A'),
      ...ofSlot('B'),
    },
  };
}

const unifiedKernel = (...parts: string[]) => Buffer.from(parts.join('\n'));

const described = (path: string, content: Buffer): ArtefactFile => ({
  ...{ path, sizeBytes: content.length },
  sha256: createHash('sha256').update(content).digest('hex'),
});

/** The system as the writer of slots takes it. */
export function newSystem(slot: Slot, { rootHash, contents }: TestSystem): NewSystem {
  const files = Object.entries(contents).map(([path, content]) => described(path, content));
  return {
    rootHash,
    files: placedFiles(slot, files),
    async read(sink, isWanted) {
      for (const file of files) {
        if (!isWanted(file)) continue;
        const content = contents[file.path] ?? Buffer.alloc(0);
        // In two pieces, so that a fault can fall between them.
        const half = content.length >> 1;
        await sink.write(file, piecesOf([content.subarray(0, half), content.subarray(half)]));
      }
    },
  };
}

async function* piecesOf(pieces: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** A partition that is a folder. */
export function folderPartition(label: string): MountedPartition & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), `${label}-`));
  return { folder, read: (work) => work(folder), write: (work) => work(folder, () => {}) };
}

export const testMemory = alignedMemory(await loadNativeCalls());
