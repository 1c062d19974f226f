import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Descriptor, DistributionClient, ImageReference } from '@nodewright/oci';
import { isIndexType, isManifestType } from '@nodewright/oci';
import type { ImageContent } from './image-content.ts';

/**
 * An image of a registry. Its layers are fetched once, into a folder below `work`, as they are: compressed, and under the name of
 * their digests.
 */
export function registryContent(
  client: DistributionClient,
  reference: ImageReference,
  work: string,
): ImageContent {
  let folder: Promise<string> | undefined;
  const documents = new Map<string, Uint8Array>();
  async function fetched(descriptor: Descriptor): Promise<string> {
    folder ??= mkdtemp(join(work, 'registry-'));
    const path = join(await folder, descriptor.digest.replace(':', '-'));
    if (existsSync(path)) return path;
    const part = `${path}.part`;
    await pipeline(Readable.from(client.fetchBlob(reference, descriptor)), createWriteStream(part));
    await rename(part, path);
    return path;
  }
  return {
    async root() {
      const { descriptor, bytes } = await client.resolve(reference);
      documents.set(descriptor.digest, bytes);
      return descriptor;
    },
    async *read(descriptor) {
      if (isManifestType(descriptor.mediaType) || isIndexType(descriptor.mediaType)) {
        const { digest } = descriptor;
        const bytes = documents.get(digest) ?? (await client.fetchManifest(reference, descriptor)).bytes;
        documents.set(digest, bytes);
        yield bytes;
      } else yield* createReadStream(await fetched(descriptor)) as AsyncIterable<Uint8Array>;
    },
    async [Symbol.asyncDispose]() {
      const opened = await folder?.catch(() => undefined);
      if (opened !== undefined) await rm(opened, { recursive: true, force: true });
    },
  };
}
