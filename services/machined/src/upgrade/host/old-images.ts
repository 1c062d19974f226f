// Removes the images of earlier versions from the cache that upgrades add to, when a new system is confirmed.
import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { syncFolder, writeFileAtomically } from '@nodewright/files';
import { isDigest, parseImageReference } from '@nodewright/oci';
import { manifestPath } from '@nodewright/oci/cache';
import type { Logger } from '@nodewright/telemetry';
import { type CachedFile, type NeededImages, oldImageFiles } from '../domain/old-images.ts';

export interface OldImagesInit {
  /** The root of the cache. */
  readonly folder: string;
  /** Of the confirmed system. */
  readonly rootHash: string;
  /** The images that the configuration, the services and the containers of this node name. @throws Fault */
  readonly namedImages: () => Promise<readonly string[]>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** A cache with more files is left alone. */
const cachedFiles = 20_000;
const documentBytes = 4 << 20;
/** Of each system, the documents of its images: one path a line. */
const listFolder = 'systems';
const listMode = 0o644;

const listOf = (rootHash: string) => join(listFolder, rootHash);

/** Writes which images belong to a system. @param paths of their documents, below the root of the cache */
export function writeImageList(folder: string, rootHash: string, paths: readonly string[]): Promise<void> {
  const text = paths.map((path) => `${path}\n`).join('');
  return writeFileAtomically(join(folder, listOf(rootHash)), text, { mode: listMode });
}

/**
 * Removes what neither the system nor a name needs. It never rejects: when anything cannot be read, nothing is removed, and the next
 * confirmation tries again.
 *
 * @returns the number of files that were removed
 */
export async function removeOldImages(init: OldImagesInit): Promise<number> {
  const { folder, log } = init;
  try {
    const needed = await neededImages(init);
    if (needed === undefined) return 0;
    const old = oldImageFiles(await filesBelow(folder), needed);
    for (const path of old) await rm(join(folder, path), { force: true });
    const lists = (await readdir(join(folder, listFolder))).filter((name) => name !== init.rootHash);
    for (const name of lists) await rm(join(folder, listFolder, name), { force: true });
    await syncFolder(join(folder, listFolder));
    if (old.length > 0) log.info({ files: old.length }, 'the images of earlier versions are removed');
    return old.length;
  } catch (error) {
    log.warn({ error: faultFrom(error).message }, 'the images of earlier versions are not removed');
    return 0;
  }
}

/** Undefined when it is not known which images are those of the system. */
async function neededImages({
  folder,
  rootHash,
  namedImages,
}: OldImagesInit): Promise<NeededImages | undefined> {
  let list: string;
  try {
    list = await readFile(join(folder, listOf(rootHash)), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const paths = new Set(list.split('\n').filter((line) => line !== ''));
  const digests = new Set<string>();
  for (const image of await namedImages()) {
    // A container may have only the digest of its image.
    if (isDigest(image)) digests.add(image);
    else {
      const reference = parseImageReference(image);
      paths.add(manifestPath(reference));
      if (reference.digest !== undefined) digests.add(reference.digest);
    }
  }
  return { paths, digests };
}

async function filesBelow(folder: string): Promise<CachedFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  if (entries.length > cachedFiles)
    throw new Fault('resource-exhausted', `the cache has more than ${cachedFiles} files`);
  const files: CachedFile[] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = relative(folder, join(entry.parentPath, entry.name));
    files.push({ path, digests: path.startsWith('manifests/') ? await digestsIn(join(folder, path)) : [] });
  }
  return files;
}

/** @throws Fault `data-loss` for a document that is too large: what it names is not known */
async function digestsIn(path: string): Promise<string[]> {
  if ((await lstat(path)).size > documentBytes)
    throw new Fault('data-loss', `${path} has more than ${documentBytes} bytes`);
  const bytes = await readFile(path);
  const own = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return [own, ...(bytes.toString('latin1').match(/sha256:[0-9a-f]{64}/g) ?? [])];
}
