// Images in a folder, for nodes that reach no registry. Source: Talos v1.14: image cache.
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Fault } from '@nodewright/fault';
import {
  type Descriptor,
  digestOf,
  formatImageReference,
  isIndexType,
  mediaTypes,
  type Platform,
  parseImageReference,
  parseIndex,
  parseManifest,
  selectManifest,
} from '@nodewright/oci';
import { blobPath, manifestPath } from '@nodewright/oci/cache';
import { type Pack, pack } from 'tar-stream';

/** Images that a node has without a registry. */
export interface ImageCache {
  /**
   * The image as an archive that `ImageStore.import()` takes; undefined when no folder has all of it. Its contents are not
   * verified: the import does that.
   */
  open(reference: string): Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** A file of the archive: bytes, or a file of the cache. */
interface ArchivedFile {
  readonly name: string;
  readonly size: number;
  readonly content: Uint8Array | string;
}

/** @param roots folders with images; the first one that has an image gives it. They may be missing */
export function openImageCache(roots: readonly string[], platform: Platform): ImageCache {
  return {
    async open(text) {
      for (const root of roots) {
        const files = await filesOf(root, text, platform).catch(undefinedIfMissing);
        if (files !== undefined) return archiveOf(files);
      }
      return undefined;
    },
  };
}

/** A cache that lacks a part of an image does not have it. */
function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

/** @throws an error of the file system for a file that is missing; Fault `data-loss` for a manifest that cannot be read */
async function filesOf(root: string, text: string, platform: Platform): Promise<ArchivedFile[] | undefined> {
  const reference = parseImageReference(text);
  const bytes = await readFile(join(root, manifestPath(reference)));
  const target = describe(bytes);
  let manifest = bytes;
  if (isIndexType(target.mediaType)) {
    const own = selectManifest(parseIndex(bytes).manifests, platform);
    if (own === undefined) return undefined;
    const { registry, repository } = reference;
    manifest = await readFile(join(root, manifestPath({ registry, repository, digest: own.digest })));
  }
  const { config, layers } = parseManifest(manifest);
  const index = {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: [{ ...target, annotations: { 'io.containerd.image.name': formatImageReference(reference) } }],
  };
  const documents = new Map([bytes, manifest].map((document) => [digestOf(document), document]));
  const blobs = new Map([config, ...layers].map(({ digest }) => [digest, join(root, blobPath(digest))]));
  return [
    inMemory('oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}')),
    inMemory('index.json', Buffer.from(JSON.stringify(index))),
    ...[...documents].map(([digest, document]) => inMemory(blobName(digest), document)),
    ...(await Promise.all([...blobs].map(([digest, path]) => onDisk(blobName(digest), path)))),
  ];
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
const inMemory = (name: string, content: Buffer): ArchivedFile => ({ name, size: content.length, content });

async function onDisk(name: string, content: string): Promise<ArchivedFile> {
  const { size } = await stat(content);
  return { name, size, content };
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
  for (const { name, size, content } of files) {
    const source = typeof content === 'string' ? createReadStream(content) : [content];
    await pipeline(source, archive.entry({ name, size }));
  }
}
