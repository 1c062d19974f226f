import { relative } from 'node:path';
import { digestOf, isDigest, isTag, manifestLimitBytes } from '@nodewright/oci';
import {
  type CacheFiles,
  cacheFolders,
  digestFromFile,
  readStored,
  registryFromFolder,
  repositoryFolders,
} from '@nodewright/oci/cache';
import type { CacheContents, CachedBlob, CachedManifest, CachedTag } from '../domain/cache-contents.ts';
import { unfinishedFolder } from './cache-store.ts';

/** The size of all files of a cache, in bytes, without reading them. @throws Error when a folder cannot be read */
export async function sizeOfCache(files: CacheFiles): Promise<number> {
  let bytes = 0;
  for (const folder of [cacheFolders.manifests, cacheFolders.blobs, unfinishedFolder])
    for await (const file of files.below(folder)) bytes += file.bytes;
  return bytes;
}

/**
 * Reads what a cache holds. Files that appear or vanish meanwhile may be missing from the result. Rejects when a part cannot be read: what
 * a manifest names would otherwise look like content that nothing needs.
 */
export async function scanCache(files: CacheFiles): Promise<CacheContents> {
  const tags: CachedTag[] = [];
  const manifests: CachedManifest[] = [];
  for await (const file of files.below(cacheFolders.manifests)) {
    const place = placeOf(file.path);
    const bytes = place && file.bytes <= manifestLimitBytes ? await contentOf(files, file.path) : undefined;
    if (place === undefined || bytes === undefined) continue;
    const { registry, repository, family, name } = place;
    if (family === repositoryFolders.tags && isTag(name))
      tags.push({ ...file, registry, repository, tag: name, digest: digestOf(bytes) });
    if (family === repositoryFolders.digests && isDigest(digestFromFile(name)))
      manifests.push({
        ...file,
        registry,
        repository,
        digest: digestFromFile(name),
        children: childrenOf(bytes),
      });
  }
  return {
    ...{ tags, manifests },
    blobs: await blobsBelow(files, cacheFolders.blobs),
    unfinished: await blobsBelow(files, unfinishedFolder),
  };
}

async function contentOf(files: CacheFiles, path: string): Promise<Buffer | undefined> {
  await using file = await files.open(path);
  return file && (await readStored(file));
}

async function blobsBelow(files: CacheFiles, folder: string): Promise<CachedBlob[]> {
  const found: CachedBlob[] = [];
  for await (const file of files.below(folder)) {
    const digest = digestFromFile(relative(folder, file.path));
    if (isDigest(digest)) found.push({ ...file, digest });
  }
  return found;
}

/** `manifests/<registry>/<repository>/<family>/<name>`; a repository has any number of parts. */
function placeOf(path: string) {
  const [, registry, ...rest] = path.split('/');
  const [name, family, ...repository] = rest.reverse();
  if (registry === undefined || name === undefined || family === undefined || repository.length === 0)
    return undefined;
  return { registry: registryFromFolder(registry), repository: repository.reverse().join('/'), family, name };
}

/** The digests that a manifest or an index names; a damaged document names nothing. */
function childrenOf(bytes: Uint8Array): string[] {
  try {
    const { config, layers, manifests } = JSON.parse(Buffer.from(bytes).toString()) as Record<
      string,
      unknown
    >;
    const named = [config, ...[layers, manifests].flatMap((list) => (Array.isArray(list) ? list : []))];
    return named.flatMap((item) => {
      const digest = (item as { digest?: unknown } | null | undefined)?.digest;
      return typeof digest === 'string' && isDigest(digest) ? [digest] : [];
    });
  } catch {
    return [];
  }
}
