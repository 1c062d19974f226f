import { createReadStream } from 'node:fs';
import type { Platform } from '@nodewright/oci';
import { entryPath, shown } from '../domain/entry-path.ts';
import { extensionLimits, showBytes } from '../domain/extension-limits.ts';
import { blobPath, layoutDocumentBytes, layoutFiles, rootOfLayout } from '../domain/layout-documents.ts';
import { readTar } from '../domain/read-tar.ts';
import { damaged, refused } from '../domain/refused.ts';
import type { ImageContent } from './image-content.ts';

interface Part {
  readonly offset: number;
  readonly sizeBytes: number;
}

/** An image in a tar archive of an OCI layout. The archive is read in place: its parts are found by their offsets. */
export function layoutArchive(path: string, platform: Platform): ImageContent {
  let parts: Promise<ReadonlyMap<string, Part>> | undefined;
  const read = async function* (name: string): AsyncGenerator<Uint8Array> {
    parts ??= partsOf(path);
    const part = (await parts).get(name);
    if (part === undefined) throw damaged(`${name} is missing in its archive`);
    const { offset, sizeBytes } = part;
    if (sizeBytes === 0) return;
    yield* createReadStream(path, {
      start: offset,
      end: offset + sizeBytes - 1,
    }) as AsyncIterable<Uint8Array>;
  };
  return {
    async root() {
      const marker = await whole(read(layoutFiles.marker));
      return rootOfLayout(marker, await whole(read(layoutFiles.index)), platform);
    },
    read: ({ digest }) => read(blobPath(digest)),
    async [Symbol.asyncDispose]() {},
  };
}

async function partsOf(path: string): Promise<ReadonlyMap<string, Part>> {
  const parts = new Map<string, Part>();
  const archive = createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Uint8Array>;
  let entries = 0;
  for await (const { entry, offset } of readTar(archive)) {
    entries += 1;
    if (entries > extensionLimits.entries)
      throw refused(`its archive has more than ${extensionLimits.entries} files`);
    const name = entryPath(entry.name);
    if (entry.kind === 'folder') continue;
    if (entry.kind !== 'file')
      throw refused(`its archive has ${shown(name)}, which is no file: a ${entry.kind}`);
    if (parts.has(name)) throw refused(`its archive has ${shown(name)} twice`);
    parts.set(name, { offset, sizeBytes: entry.sizeBytes });
  }
  return parts;
}

async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of bytes) {
    sizeBytes += piece.length;
    if (sizeBytes > layoutDocumentBytes)
      throw refused(`its archive has a document larger than ${showBytes(layoutDocumentBytes)}`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
