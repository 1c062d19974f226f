// Sets of extensions belong to one image, so a new system needs a set of its own.
import type { X509Certificate } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Slot } from '@nodewright/boot';
import { VerityTreeBuilder, verityTreeInit } from '@nodewright/disk';
import { Fault, faultFrom } from '@nodewright/fault';
import type { MountedPartition } from '../../base/host/mounted-partition.ts';
import { readSet, readSetNames } from '../../extensions/host/set-folder.ts';
import type { PartitionFiles } from './partition-files.ts';

const noSet = 'none';

/** The set that a slot has at its next start. */
export interface SetOfSlot {
  readonly rootHash: string;
  /** Names of its extensions, as far as they can be read. */
  readonly extensions: readonly string[];
}

/** @returns undefined when the slot has no set, or its next start removes it */
export function readSetOfSlot(boot: MountedPartition, slot: Slot): Promise<SetOfSlot | undefined> {
  return boot.read(async (folder) => {
    const sets = join(folder, slot, 'sets');
    const { next, tried, active } = await readSetNames(sets);
    const name = next ?? tried ?? active;
    if (name === undefined || name === noSet) return undefined;
    const layers = (await readSet(sets, name))?.layers ?? [];
    return { rootHash: name, extensions: layers.map(({ metadata }) => metadata.name) };
  });
}

/** A set that was verified, and is to be written with a system. */
export interface NewSet {
  readonly rootHash: string;
  readonly sizes: readonly number[];
  /** Writes the set into the slot, which has it from its first start on. */
  write(files: PartitionFiles): Promise<void>;
  /** Compares what the disk has with the root hash. @throws Fault `data-loss` */
  check(files: PartitionFiles): Promise<void>;
}

export interface NewSetInit {
  /** The archive with the set, which nobody else can change. */
  readonly file: string;
  /** Those that the running image trusts. */
  readonly certificates: readonly X509Certificate[];
  /** Of the new image. */
  readonly imageRootHash: string;
  readonly slot: Slot;
}

/** @throws Fault `failed-precondition` when the file is missing or has a set for another image, and as `verifyExtensionSet()` */
export async function openNewSet({ file, certificates, imageRootHash, slot }: NewSetInit): Promise<NewSet> {
  const { encodeSetDescription, setFiles, verifyExtensionSet } = await import('@nodewright/extensions/sets');
  const set = await verifyExtensionSet(createReadStream(file) as AsyncIterable<Uint8Array>, {
    ...{ certificates, imageRootHash },
  }).catch((error: unknown) => {
    const { kind, message } = faultFrom(error);
    if (kind !== 'not-found') throw error;
    throw new Fault('failed-precondition', `the set of extensions cannot be read: ${message}`, {
      cause: error,
    });
  });
  const { description, rootHashSignature, tree, squashfsOffset } = set;
  const { rootHash, squashfsBytes } = description;
  const folder = `${slot}/sets/${rootHash}`;
  const small = [
    [setFiles.tree, tree],
    [setFiles.rootHashSignature, rootHashSignature],
    [setFiles.description, encodeSetDescription(description)],
  ] as const;
  const active = Buffer.from(`${rootHash}\n`);
  return {
    rootHash,
    sizes: [squashfsBytes, ...small.map(([, content]) => content.length), active.length],
    async write(files) {
      const range = { start: squashfsOffset, end: squashfsOffset + squashfsBytes - 1 };
      await files.write(`${folder}/${setFiles.squashfs}`, createReadStream(file, range));
      for (const [name, content] of small) await files.write(`${folder}/${name}`, [content]);
      // Not as one that is tried: it is tried with its system.
      await files.write(`${slot}/sets/active`, [active]);
    },
    async check(files) {
      const init = verityTreeInit(tree);
      if (init === undefined) throw new Fault('data-loss', 'the hash tree of the set is damaged');
      const builder = new VerityTreeBuilder(init);
      for await (const piece of files.read(`${folder}/${setFiles.squashfs}`)) builder.update(piece);
      if (builder.finish().rootHash !== rootHash) throw notKept(setFiles.squashfs);
      for (const [name, content] of small)
        if (!Buffer.concat(await Array.fromAsync(files.read(`${folder}/${name}`))).equals(content))
          throw notKept(name);
    },
  };
}

const notKept = (name: string) =>
  new Fault('data-loss', `the disk has not kept ${name} of the set of extensions`);
