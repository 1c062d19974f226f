import type { Dirent, Stats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { digestOf, isDigest, isTag } from '@nodewright/oci';
import { cacheFolders, digestFromFile, registryFromFolder, repositoryFolders } from '@nodewright/oci/cache';
import type { CacheContents, CachedBlob, CachedManifest, CachedTag } from '../domain/cache-contents.ts';
import { unfinishedFolder } from './cache-store.ts';

/** Reads what a cache holds. Files that appear or vanish meanwhile may be missing from the result. */
export async function scanCache(root: string): Promise<CacheContents> {
  const tags: CachedTag[] = [];
  const manifests: CachedManifest[] = [];
  for await (const { path, file } of filesBelow(root, cacheFolders.manifests)) {
    const place = placeOf(path);
    const bytes = place && (await readFile(join(root, path)).catch(() => undefined));
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
    blobs: await blobsBelow(root, cacheFolders.blobs),
    unfinished: await blobsBelow(root, unfinishedFolder),
  };
}

async function blobsBelow(root: string, folder: string): Promise<CachedBlob[]> {
  const found: CachedBlob[] = [];
  for await (const { path, file } of filesBelow(root, folder)) {
    const digest = digestFromFile(relative(folder, path));
    if (isDigest(digest)) found.push({ ...file, digest });
  }
  return found;
}

interface FoundFile {
  readonly path: string;
  readonly file: { readonly path: string; readonly bytes: number; readonly lastUsedMs: number };
}

async function* filesBelow(root: string, folder: string): AsyncGenerator<FoundFile> {
  const entries: Dirent[] = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(root, path);
    const stats: Stats | undefined = entry.isFile()
      ? await stat(join(root, path)).catch(() => undefined)
      : undefined;
    if (stats !== undefined) yield { path, file: { path, bytes: stats.size, lastUsedMs: stats.mtimeMs } };
  }
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
