import { constants } from 'node:fs';
import { open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, syncFolder } from '@nodewright/files';
import type { NativeCalls } from '@nodewright/linux';
import type { MountedPartition } from '../../base/host/mounted-partition.ts';

/** The files of a partition while it is mounted, by paths below its root. What was changed is on the disk when a promise is fulfilled. */
export interface PartitionFiles {
  /** Writes a file, and the folders that it needs. */
  write(
    path: string,
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    /** Of a new file. Default: 0600. */
    mode?: number,
  ): Promise<void>;
  /** Reads a file from the disk, and not from the memory of the kernel, where the node has memory for that. */
  read(path: string): AsyncIterable<Uint8Array>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, or a folder with what is in it, if it is there. */
  remove(path: string): Promise<void>;
  /** The size of a file, or of all files in a folder; 0 when it is missing. */
  sizeOf(path: string): Promise<number>;
  freeBytes(): Promise<number>;
}

/** A partition that is mounted for each use. */
export interface PartitionAccess {
  read<T>(work: (files: PartitionFiles) => Promise<T>): Promise<T>;
  /** @param work also gets a function that empties the journal, and everything that the file system has in memory, onto the disk */
  write<T>(work: (files: PartitionFiles, flush: () => void) => Promise<T>): Promise<T>;
}

/** Gives memory for reads that bypass the kernel's cache; its address is a multiple of 4096. */
export type AlignedMemory = (bytes: number) => Buffer;

export const accessTo = (
  partition: MountedPartition,
  memory: AlignedMemory | undefined,
): PartitionAccess => ({
  read: (work) => partition.read((folder) => work(partitionFiles(folder, memory))),
  write: (work) => partition.write((folder, flush) => work(partitionFiles(folder, memory), flush)),
});

const alignment = 4096;

/** Memory as direct reads need it. */
export const alignedMemory =
  ({ addressOf }: Pick<NativeCalls, 'addressOf'>): AlignedMemory =>
  (bytes) => {
    const whole = Buffer.alloc(bytes + alignment);
    const over = Number(addressOf(whole) % BigInt(alignment));
    return whole.subarray((alignment - over) % alignment).subarray(0, bytes);
  };

const folderMode = 0o755;
const fileMode = 0o600;
const pieceBytes = 1 << 20;

/** @param memory undefined: reads pass through the kernel's cache */
export function partitionFiles(folder: string, memory: AlignedMemory | undefined): PartitionFiles {
  const at = (path: string) => join(folder, path);
  return {
    async write(path, content, mode = fileMode) {
      await makeFolder(dirname(at(path)), folderMode);
      {
        await using file = await open(at(path), 'w', mode);
        for await (const piece of content) await file.writeFile(piece);
        await file.sync();
      }
      await syncFolder(dirname(at(path)));
    },
    read: (path) => readFromDisk(at(path), memory),
    async rename(from, to) {
      await makeFolder(dirname(at(to)), folderMode);
      await rename(at(from), at(to));
      await syncFolder(dirname(at(to)));
    },
    async remove(path) {
      await rm(at(path), { recursive: true, force: true });
      await syncFolder(dirname(at(path))).catch(undefinedIfMissing);
    },
    sizeOf: (path) => sizeBelow(at(path)),
    async freeBytes() {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
  };
}

async function* readFromDisk(path: string, memory: AlignedMemory | undefined): AsyncGenerator<Uint8Array> {
  await using file = memory === undefined ? await open(path) : await openDirect(path);
  const buffer = (memory ?? Buffer.alloc)(pieceBytes);
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, pieceBytes, position);
    if (bytesRead > 0) yield Buffer.from(buffer.subarray(0, bytesRead));
    // The end of a file need not be one of a block, where the next direct read would have to begin.
    if (bytesRead < pieceBytes) return;
    position += bytesRead;
  }
}

/** Some file systems, such as those of containers, have no direct access. */
async function openDirect(path: string) {
  try {
    return await open(path, constants.O_RDONLY | constants.O_DIRECT);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
    return open(path, constants.O_RDONLY);
  }
}

async function sizeBelow(path: string): Promise<number> {
  const found = await stat(path).catch(undefinedIfMissing);
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.size;
  const sizes = (await readdir(path)).map((name) => sizeBelow(join(path, name)));
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
