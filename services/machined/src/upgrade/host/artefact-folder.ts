// The folder with the artefacts of a node: each is a folder of its own, named by its digest, which appears when all of it is there.
import { constants } from 'node:fs';
import { access, type FileHandle, lstat, open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ImageContent, layoutArchive, layoutFolder } from '@nodewright/extensions/images';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder, syncFolder, writeFileAtomically } from '@nodewright/files';
import { isDigest, type Platform } from '@nodewright/oci';

/** What a folder says about its artefact. */
export interface ArtefactRecord {
  readonly name: string;
  /** Of the document that the name stands for. */
  readonly digest: string;
  readonly version: string;
  readonly sizeBytes: number;
  readonly createdAtMs: number;
}

const recordFile = 'artefact.json';
const archiveFile = 'archive.tar';
const unfinishedPrefix = 'unfinished-';
const privateFolder = 0o700;
const privateMode = 0o600;
const recordBytes = 64 * 1024;

/** File systems of disks: ext4, XFS and Btrfs. A machine without a disk has the folder in memory, or not at all. Source: statfs(2) */
const diskTypes: readonly number[] = [0xef53, 0x5846_5342, 0x9123_683e];

/** A new artefact, which becomes one of the store when it is kept. Disposed of before that, nothing of it stays. */
export interface NewArtefact extends AsyncDisposable {
  /** Writes a file of a layout, or the archive. @throws Fault `resource-exhausted` and others of the disk; what `pieces` throws */
  write(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /** Opens the archive that was written. */
  openArchive(platform: Platform): ImageContent;
  keep(record: ArtefactRecord): Promise<void>;
}

export class ArtefactFolder {
  readonly #folder: string;
  readonly #platform: Platform;
  #count = 0;

  readonly #isAlwaysOnDisk: boolean;

  /** @param isAlwaysOnDisk whatever file system it is on: what is written there stays as long as the node does */
  constructor(folder: string, platform: Platform, isAlwaysOnDisk = false) {
    this.#folder = folder;
    this.#platform = platform;
    this.#isAlwaysOnDisk = isAlwaysOnDisk;
  }

  /** Whether what is written there stays on a disk. On a machine it does once EPHEMERAL is mounted. */
  async isOnDisk(): Promise<boolean> {
    if (this.#isAlwaysOnDisk) return true;
    const { type } = await statfs(await existing(this.#folder));
    return diskTypes.includes(type);
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(await existing(this.#folder));
    return bavail * bsize;
  }

  /** Removes what an interrupted run has left, and returns the artefacts. One that cannot be read is removed, too. */
  async recover(): Promise<ArtefactRecord[]> {
    const found: ArtefactRecord[] = [];
    for (const name of await readdir(this.#folder).catch(nothing)) {
      const record = await readRecord(join(this.#folder, name)).catch(() => undefined);
      if (record !== undefined && folderOf(record.digest) === name) found.push(record);
      else await rm(join(this.#folder, name), { recursive: true, force: true });
    }
    return found;
  }

  async create(): Promise<NewArtefact> {
    this.#count += 1;
    const folder = join(this.#folder, `${unfinishedPrefix}${this.#count}`);
    await rm(folder, { recursive: true, force: true });
    await makeFolder(folder, privateFolder);
    return {
      write: (name, pieces) => writePieces(join(folder, name), pieces),
      openArchive: (platform) => layoutArchive(join(folder, archiveFile), platform),
      keep: async (record) => {
        await writeFileAtomically(join(folder, recordFile), JSON.stringify(record));
        await rename(folder, this.#pathOf(record.digest));
        await syncFolder(this.#folder);
      },
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
    };
  }

  /** Names an artefact that is there anew. */
  rename(record: ArtefactRecord): Promise<void> {
    return writeFileAtomically(join(this.#pathOf(record.digest), recordFile), JSON.stringify(record));
  }

  async open(digest: string): Promise<ImageContent> {
    const folder = this.#pathOf(digest);
    const names = await readdir(folder);
    if (!names.includes(archiveFile)) return layoutFolder(folder, this.#platform);
    const archive = join(folder, archiveFile);
    if (!(await lstat(archive)).isFile()) throw new Fault('data-loss', `the archive of ${digest} is no file`);
    return layoutArchive(archive, this.#platform);
  }

  async remove(digest: string): Promise<void> {
    // Under another name first: what a crash leaves of it is no artefact.
    const gone = join(this.#folder, `${unfinishedPrefix}${folderOf(digest)}`);
    await rename(this.#pathOf(digest), gone).catch(() => {});
    await rm(gone, { recursive: true, force: true });
  }

  #pathOf(digest: string): string {
    return join(this.#folder, folderOf(digest));
  }
}

/** The name of the archive of an artefact that was imported. */
export const importedArchive = archiveFile;

/** The folder, or the next one above it that exists. */
async function existing(folder: string): Promise<string> {
  try {
    await access(folder);
    return folder;
  } catch {
    return folder === dirname(folder) ? folder : existing(dirname(folder));
  }
}

const folderOf = (digest: string) => digest.replace(':', '-');

async function writePieces(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  await makeFolder(dirname(path), privateFolder);
  await using file = await open(path, 'wx', privateMode);
  for await (const piece of pieces) await writeAll(file, piece);
  await file.sync().catch(diskFault);
}

async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  let at = 0;
  while (at < piece.length) at += (await file.write(piece, at).catch(diskFault)).bytesWritten;
}

function diskFault(error: NodeJS.ErrnoException): never {
  const kind = error.code === 'ENOSPC' || error.code === 'EDQUOT' ? 'resource-exhausted' : 'unavailable';
  throw new Fault(kind, `the store of artefacts cannot be written: ${faultFrom(error).message}`, {
    cause: error,
  });
}

async function readRecord(folder: string): Promise<ArtefactRecord | undefined> {
  // Whatever has its name: opening a pipe would wait for a writer.
  await using file = await open(
    join(folder, recordFile),
    constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW,
  );
  const stats = await file.stat();
  if (!stats.isFile() || stats.size > recordBytes) return undefined;
  const { name, digest, version, sizeBytes, createdAtMs } = JSON.parse(await file.readFile('utf8'));
  const isValid =
    typeof name === 'string' &&
    typeof digest === 'string' &&
    isDigest(digest) &&
    typeof version === 'string' &&
    typeof sizeBytes === 'number' &&
    typeof createdAtMs === 'number';
  return isValid ? { name, digest, version, sizeBytes, createdAtMs } : undefined;
}

function nothing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
