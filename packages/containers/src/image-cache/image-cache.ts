// Images in a folder, for nodes that reach no registry. Source: Talos v1.14: image cache.
import { pipeline } from 'node:stream/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  type Descriptor,
  digestOf,
  formatImageReference,
  isIndexType,
  manifestLimitBytes,
  mediaTypes,
  type Platform,
  parseImageReference,
  parseIndex,
  parseManifest,
  selectManifest,
} from '@nodewright/oci';
import { blobPath, type CacheFiles, manifestPath, openCacheFiles, readStored } from '@nodewright/oci/cache';
import { type Pack, pack } from 'tar-stream';

/** Images that a node has without a registry. */
export interface ImageCache {
  /**
   * The image as an archive that `ImageStore.import()` takes; undefined when no folder has all of it. Its contents are not
   * verified: the import does that.
   */
  open(reference: string): Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** A file of the archive. */
interface ArchivedFile {
  readonly name: string;
  readonly size: number;
  /** Reads the file, once. */
  readonly read: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/**
 * @param roots folders with images, in the flat layout or as an OCI layout; the first one that has an image gives it. They may be
 * missing
 */
export function openImageCache(roots: readonly string[], platform: Platform): ImageCache {
  const folders = roots.map(openCacheFiles);
  return {
    async open(text) {
      let damage: Fault | undefined;
      for (const folder of folders) {
        try {
          const files = await filesOf(folder, text, platform);
          if (files !== undefined) return archiveOf(files);
        } catch (error) {
          damage = faultFrom(error);
          if (damage.kind !== 'data-loss') throw error;
        }
      }
      if (damage !== undefined) throw damage;
      return undefined;
    },
  };
}

/**
 * The files of an image; undefined when a part of it is missing.
 *
 * @throws Fault `data-loss` for a manifest or a layout that cannot be read
 */
async function filesOf(
  folder: CacheFiles,
  text: string,
  platform: Platform,
): Promise<ArchivedFile[] | undefined> {
  const reference = parseImageReference(text);
  const bytes = await documentOf(folder, manifestPath(reference));
  if (bytes === undefined) return undefined;
  const target = describe(bytes);
  let manifest: Buffer | undefined = bytes;
  if (isIndexType(target.mediaType)) {
    const own = selectManifest(parseIndex(bytes).manifests, platform);
    if (own === undefined) return undefined;
    const { registry, repository } = reference;
    manifest = await documentOf(folder, manifestPath({ registry, repository, digest: own.digest }));
    if (manifest === undefined) return undefined;
  }
  const { config, layers } = parseManifest(manifest);
  const index = {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: [{ ...target, annotations: { 'io.containerd.image.name': formatImageReference(reference) } }],
  };
  const documents = new Map([bytes, manifest].map((document) => [digestOf(document), document]));
  const digests = new Set([config, ...layers].map(({ digest }) => digest));
  const blobs = await Promise.all([...digests].map((digest) => stored(folder, digest)));
  if (blobs.some((blob) => blob === undefined)) return undefined;
  return [
    inMemory('oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}')),
    inMemory('index.json', Buffer.from(JSON.stringify(index))),
    ...[...documents].map(([digest, document]) => inMemory(blobName(digest), document)),
    ...blobs.filter((blob) => blob !== undefined),
  ];
}

async function documentOf(folder: CacheFiles, path: string): Promise<Buffer | undefined> {
  await using file = await folder.open(path);
  if (file === undefined) return undefined;
  if (file.size > manifestLimitBytes)
    throw new Fault('data-loss', `"${path}" of the image cache is too large`);
  return readStored(file);
}

/** A manifest and an index tell by their keys what they are, where they do not say their type. */
function describe(bytes: Buffer): Descriptor {
  const { mediaType, manifests } = documentFrom(bytes);
  const type = mediaType ?? (manifests === undefined ? mediaTypes.manifest : mediaTypes.index);
  return { mediaType: type, digest: digestOf(bytes), size: bytes.length };
}

function documentFrom(bytes: Buffer): { readonly mediaType?: string; readonly manifests?: unknown } {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new Fault('data-loss', 'a manifest of the image cache is not JSON');
  }
}

const blobName = (digest: string) => `blobs/${digest.replace(':', '/')}`;
const inMemory = (name: string, content: Buffer): ArchivedFile => ({
  ...{ name, size: content.length },
  read: () => [content],
});

/** A blob, which is opened again when it is read: an image may have more layers than this process may open files. */
async function stored(folder: CacheFiles, digest: string): Promise<ArchivedFile | undefined> {
  const path = blobPath(digest);
  await using found = await folder.open(path);
  if (found === undefined) return undefined;
  const { size } = found;
  return {
    ...{ name: blobName(digest), size },
    async *read() {
      await using file = await folder.open(path);
      if (file?.size !== size) throw new Fault('data-loss', `"${path}" has left the image cache`);
      const { handle, start } = file;
      if (size > 0) yield* handle.createReadStream({ start, end: start + size - 1, autoClose: false });
    },
  };
}

/** Opens the files one after the other, and only when somebody reads. */
async function* archiveOf(files: readonly ArchivedFile[]): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const adding = addAll(archive, files).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  );
  try {
    yield* archive as AsyncIterable<Uint8Array>;
  } finally {
    archive.destroy();
    await adding;
  }
}

async function addAll(archive: Pack, files: readonly ArchivedFile[]): Promise<void> {
  for (const { name, size, read } of files) await pipeline(read, archive.entry({ name, size }));
}
