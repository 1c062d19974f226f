import { createReadStream } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Platform } from '@nodewright/oci';
import { showBytes } from '../domain/extension-limits.ts';
import { blobPath, layoutDocumentBytes, layoutFiles, rootOfLayout } from '../domain/layout-documents.ts';
import { damaged, refused } from '../domain/refused.ts';
import type { ImageContent } from './image-content.ts';

/** An image in a folder with the layout of OCI. */
export function layoutFolder(folder: string, platform: Platform): ImageContent {
  return {
    async root() {
      const marker = await readDocument(folder, layoutFiles.marker);
      return rootOfLayout(marker, await readDocument(folder, layoutFiles.index), platform);
    },
    async *read({ digest }) {
      const path = join(folder, blobPath(digest));
      const stats = await lstat(path).catch(() => undefined);
      if (stats?.isFile() !== true) throw damaged(`${digest} is missing in its layout`);
      yield* createReadStream(path) as AsyncIterable<Uint8Array>;
    },
    async [Symbol.asyncDispose]() {},
  };
}

async function readDocument(folder: string, name: string): Promise<Uint8Array> {
  const path = join(folder, name);
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isFile() !== true) throw damaged(`${name} is missing in its layout`);
  if (stats.size > layoutDocumentBytes)
    throw refused(`${name} is larger than ${showBytes(layoutDocumentBytes)}`);
  return readFile(path);
}
