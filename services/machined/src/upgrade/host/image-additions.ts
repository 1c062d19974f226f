// The images of a new system in the image caches of this node. Their layout is that of a cache, so content is found by its digest, and adding it
// changes nothing for the system that runs.
import { createHash } from 'node:crypto';
import { open, readFile, rename, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder, syncFolder } from '@nodewright/files';
import type { ArtefactFile, ArtefactSink } from '@nodewright/installer';
import { type OldImagesInit, removeOldImages, writeImageList } from './old-images.ts';

/** A folder in which a cache of this node can get images. */
export interface ImagePlace {
  /** For messages. */
  readonly label: string;
  /** Free bytes; undefined when nothing can be written there now. */
  freeBytes(): Promise<number | undefined>;
  /** @param work gets the folder, which can be written to meanwhile */
  write<T>(work: (folder: string) => Promise<T>): Promise<T>;
}

/** What adds the images of a new system to the caches of this node. */
export interface ImageAdditions {
  /**
   * Decides what is missing and where it goes.
   *
   * @param rootHash of the system, by which its images are known when it is confirmed
   * @throws Fault `failed-precondition` with the figures when it fits nowhere, `unavailable` while no place is mounted
   */
  plan(files: readonly ArtefactFile[], rootHash: string): Promise<PlannedImages>;
  /** Removes the images of earlier versions that nothing names, where images were added. It never rejects. */
  removeOld(init: Omit<OldImagesInit, 'folder'>): Promise<void>;
}

export interface PlannedImages {
  /** Whether the file is to be added. */
  isWanted(file: ArtefactFile): boolean;
  /** Adds what `work` writes. The names of images lead to it when this resolves. */
  add(work: (write: ArtefactSink['write']) => Promise<void>): Promise<void>;
}

export interface ImageAdditionsInit {
  /** The folders of the caches, which are read. */
  readonly roots: readonly string[];
  /** Where images can be added, the preferred place first. */
  readonly places: readonly ImagePlace[];
}

const prefix = 'machine/images/';
const documentPrefix = `${prefix}manifests/`;
/** Content by its digest. */
const blobFolder = 'blob/';
const folderMode = 0o755;
const fileMode = 0o644;
const spareBytes = 1 << 20;
const blockBytes = 4096;
/** A document that names content. */
const manifestBytes = 4 << 20;

export function createImageAdditions({ roots, places }: ImageAdditionsInit): ImageAdditions {
  return {
    async plan(files, rootHash) {
      const documents = files
        .filter(({ path }) => path.startsWith(documentPrefix))
        .map(({ path }) => path.slice(prefix.length));
      const addList = (place: ImagePlace) =>
        place.write(async (folder) => {
          await makeFolder(folder, folderMode);
          await writeImageList(folder, rootHash, documents);
        });
      const missing: ArtefactFile[] = [];
      for (const file of files)
        if (file.path.startsWith(prefix) && !(await isThere(file, roots))) missing.push(file);
      if (missing.length === 0) {
        const place = await mountedPlace(places);
        return {
          isWanted: () => false,
          async add(work) {
            await work(async () => {});
            if (place !== undefined) await addList(place);
          },
        };
      }
      const needed = missing.reduce(
        (sum, { sizeBytes }) => sum + Math.ceil(sizeBytes / blockBytes) * blockBytes,
        spareBytes,
      );
      const place = await placeFor(needed, places);
      const wanted = new Set(missing.map(({ path }) => path));
      return {
        isWanted: ({ path }) => wanted.has(path),
        async add(work) {
          await place.write((folder) => addTo(folder, work));
          await addList(place);
        },
      };
    },
    async removeOld(init) {
      for (const place of places) {
        const isMounted = await place.freeBytes().catch(() => undefined);
        if (isMounted !== undefined) await place.write((folder) => removeOldImages({ ...init, folder }));
      }
    },
  };
}

/** Whether a cache has the file. Names of images may lead to other content than before. */
async function isThere(
  { path, sizeBytes, sha256 }: ArtefactFile,
  roots: readonly string[],
): Promise<boolean> {
  const below = path.slice(prefix.length);
  for (const root of roots) {
    try {
      const { size } = await stat(join(root, below));
      if (size !== sizeBytes) continue;
      if (below.startsWith(blobFolder) || size > manifestBytes) return true;
      const content = await readFile(join(root, below));
      if (createHash('sha256').update(content).digest('hex') === sha256) return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    }
  }
  return false;
}

async function mountedPlace(places: readonly ImagePlace[]): Promise<ImagePlace | undefined> {
  for (const place of places) if ((await place.freeBytes()) !== undefined) return place;
  return undefined;
}

async function placeFor(needed: number, places: readonly ImagePlace[]): Promise<ImagePlace> {
  const figures: string[] = [];
  for (const place of places) {
    const free = await place.freeBytes();
    if (free === undefined) continue;
    if (free >= needed) return place;
    figures.push(`${place.label} has ${showMib(free)}`);
  }
  const need = `the images of the new system need ${showMib(needed)}`;
  if (figures.length === 0)
    throw new Fault('unavailable', `${need}: no volume that could have them is mounted yet: try again`);
  throw new Fault('failed-precondition', `${need}: ${figures.join(', ')}`);
}

const showMib = (bytes: number) => `${(bytes / (1 << 20)).toFixed(1)} MiB`;

async function addTo(folder: string, work: Parameters<PlannedImages['add']>[0]): Promise<void> {
  const names: string[] = [];
  await work(async (file, content) => {
    const below = file.path.slice(prefix.length);
    const path = join(folder, below);
    await makeFolder(dirname(path), folderMode);
    {
      await using written = await open(`${path}.new`, 'w', fileMode);
      for await (const piece of content) await written.writeFile(piece);
      await written.sync();
    }
    // Content comes before the names that lead to it.
    if (below.startsWith(blobFolder)) await rename(`${path}.new`, path);
    else names.push(path);
  });
  await syncFolder(join(folder, blobFolder)).catch((error: unknown) => {
    if (faultFrom(error).kind !== 'not-found') throw error;
  });
  for (const path of names) {
    await rename(`${path}.new`, path);
    await syncFolder(dirname(path));
  }
}

/** A folder of a file system that is mounted. @param isMounted whether it is now */
export const folderPlace = (
  label: string,
  folder: string,
  isMounted: () => Promise<boolean>,
): ImagePlace => ({
  label,
  async freeBytes() {
    if (!(await isMounted())) return undefined;
    await makeFolder(folder, folderMode);
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  },
  write: (work) => work(folder),
});
