import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '@nodewright/files';
import { type Descriptor, digestOf, mediaTypes, type Platform } from '@nodewright/oci';
import { cacheFolders, layoutBlob, layoutFile, layoutIndex, layoutMarker } from '@nodewright/oci/cache';
import { pack } from 'tar-stream';

export interface PackLayoutInit {
  /** The folder of the flat layout. Its blobs are removed one by one, so that they need no space twice. */
  readonly flat: string;
  /** The folder of the OCI layout. One that is there keeps its images until the new ones are complete. */
  readonly folder: string;
  /** Of the image that holds the cache. */
  readonly platform: Platform;
  readonly signal: AbortSignal;
}

/** The same content gives the same layers. */
const sameTime = new Date(0);

/**
 * Packs a cache as an image: a layer for each blob, and one for the names. The index is written last, so an interrupted run leaves no
 * cache, or the former one.
 */
export async function packLayout({ flat, folder, platform, signal }: PackLayoutInit): Promise<void> {
  await makeFolder(join(folder, 'blobs', 'sha256'));
  const layers: Descriptor[] = [];
  for (const path of await filesBelow(flat, cacheFolders.blobs)) {
    layers.push(await writeLayer(folder, flat, [path], signal));
    await rm(join(flat, path));
  }
  layers.push(await writeLayer(folder, flat, await filesBelow(flat, cacheFolders.manifests), signal));
  const config = await writeDocument(folder, mediaTypes.config, {
    ...platform,
    config: {},
    // The archives are not compressed, so their digests name their contents too.
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
  });
  const schema = { schemaVersion: 2 } as const;
  const manifest = await writeDocument(folder, mediaTypes.manifest, {
    ...{ ...schema, mediaType: mediaTypes.manifest, config, layers },
  });
  await writeNamed(join(folder, layoutFile), layoutMarker);
  const index = { ...schema, mediaType: mediaTypes.index, manifests: [{ ...manifest, platform }] };
  await writeNamed(join(folder, layoutIndex), index);
  await removeOthers(folder, [...layers, config, manifest]);
}

async function filesBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

async function writeLayer(
  folder: string,
  flat: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Descriptor> {
  const archive = pack();
  const adding = addAll().then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  );
  const hash = createHash('sha256');
  const draft = join(folder, 'blobs', 'sha256', `${randomBytes(6).toString('hex')}.part`);
  let size = 0;
  try {
    {
      await using file = await open(draft, 'wx', 0o644);
      for await (const piece of archive as AsyncIterable<Uint8Array>) {
        signal.throwIfAborted();
        hash.update(piece);
        size += piece.length;
        await file.writeFile(piece);
      }
      await file.sync();
    }
    const digest = `sha256:${hash.digest('hex')}`;
    await rename(draft, join(folder, layoutBlob(digest)));
    return { mediaType: mediaTypes.layer, digest, size };
  } catch (error) {
    archive.destroy();
    await rm(draft, { force: true });
    throw error;
  } finally {
    await adding;
  }

  async function addAll(): Promise<void> {
    for (const name of paths) {
      const path = join(flat, name);
      const { size: bytes } = await stat(path);
      const entry = archive.entry({ name, size: bytes, mode: 0o644, mtime: sameTime });
      await pipeline(createReadStream(path), entry);
    }
  }
}

async function writeDocument(folder: string, mediaType: string, document: object): Promise<Descriptor> {
  const bytes = Buffer.from(JSON.stringify(document));
  const digest = digestOf(bytes);
  await writeNamed(join(folder, layoutBlob(digest)), document);
  return { mediaType, digest, size: bytes.length };
}

async function writeNamed(path: string, document: object): Promise<void> {
  const draft = `${path}.part`;
  await makeFolder(dirname(path));
  await writeFile(draft, JSON.stringify(document), { flush: true });
  await rename(draft, path);
}

/** Removes what the former index needed. */
async function removeOthers(folder: string, kept: readonly Descriptor[]): Promise<void> {
  const names = new Set(kept.map(({ digest }) => layoutBlob(digest)));
  for (const path of await filesBelow(folder, 'blobs'))
    if (!names.has(path)) await rm(join(folder, path), { force: true });
}
