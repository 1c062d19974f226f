// The folder with the two slots of a node of processes, as the parts that upgrade a machine see its partition BOOT.
import type { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isSlot,
  type Slot,
  type SlotFolderFiles,
  type System,
  slotFiles,
  slotFolderFiles,
} from '@nodewright/boot';
import { makeFolder, writeFileAtomically } from '@nodewright/files';
import { readCertificates } from '../../base/host/image-trust.ts';
import type { MountedPartition } from '../../base/host/mounted-partition.ts';
import { bootFilesOn } from './grub-files.ts';

const folderMode = 0o700;

/** A folder in place of a partition. */
export function createSlotFolder(folder: string): MountedPartition {
  let lastWrite: Promise<unknown> = Promise.resolve();
  const use = async <T>(work: (folder: string) => Promise<T>) => {
    await makeFolder(folder, folderMode);
    return work(folder);
  };
  return {
    read: use,
    write(work) {
      // Each file is synced when it is written.
      const result = lastWrite.then(() => use(() => work(folder, () => {})));
      lastWrite = result.catch(() => {});
      return result;
    },
  };
}

/** The same, as its boot loader uses it. */
export const slotFolderFilesOn = (partition: MountedPartition): SlotFolderFiles => ({
  ...bootFilesOn(partition),
  replace: (path, bytes) =>
    partition.write((folder) => writeFileAtomically(join(folder, path), Buffer.from(bytes).toString())),
});

/** Of the programs that a cluster was created with, until a slot has them: they have no root hash. */
const noHash = '0'.repeat(64);

/**
 * The system that runs. Without the files of its slot it has no root hash, and cannot be upgraded: what starts a node may have its programs elsewhere.
 *
 * @param slot undefined: the programs that the cluster was created with. They count as slot A, which has them when the node is upgraded
 */
export function runningSystem(folder: string, slot: Slot | undefined): System {
  if (slot === undefined) return { slot: 'A', rootHash: noHash };
  const text = rootHashText(join(folder, slot, slotFiles.rootHash));
  return { slot, rootHash: /^[0-9a-f]{64}\n$/.test(text) ? text.trim() : noHash };
}

function rootHashText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/**
 * The certificates that the running system trusts: those of its artefact, or those that were stored when the cluster was created.
 *
 * @param trusted the file with those
 * @param started what the supervisor has started: a slot, or something else for the programs of the cluster
 * @throws Fault `failed-precondition` when there are none
 */
export function certificatesOf(
  trusted: string,
  folder: string,
  started: string,
): Promise<readonly X509Certificate[]> {
  return isSlot(started)
    ? readCertificates(join(folder, started, slotFolderFiles.certificates), noCertificates)
    : readCertificates(trusted, noCertificates);
}

const noCertificates =
  'this node has no certificate to check artefacts with: create the cluster again, with a build that has one';

/** The artefact that the next start tries, which the store must keep until then. @param folder of the slots of a node that is one container */
export function chosenArtefact(folder: string): string | undefined {
  try {
    const { once, systems } = JSON.parse(readFileSync(join(folder, slotFolderFiles.choice), 'utf8'));
    const digest: unknown = systems?.[once];
    return typeof digest === 'string' && digest.startsWith('sha256:') ? digest : undefined;
  } catch {
    return undefined;
  }
}
