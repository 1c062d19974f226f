import { randomUUID } from 'node:crypto';
import {
  type Descriptor,
  type FetchedDocument,
  isIndexType,
  parseImageConfig,
  parseIndex,
  parseManifest,
} from '@nodewright/oci';
import type { CallOptions } from '../container-runtime.ts';
import { type ArchivedImage, imagesInArchive } from '../oci-layout/images-in-archive.ts';
import { readArchive } from '../oci-layout/read-archive.ts';
import type { ContainerdContext } from './containerd-context.ts';
import { createLeasedContent, type LeasedContent } from './content-store.ts';
import { finishImage } from './finish-image.ts';
import { readContent, requireManifest, requirePlatform } from './image-content.ts';
import { endLease, ensureLease } from './leases.ts';

/** Imports an archive and returns the references of its images. Other content of the archive is not kept. */
export async function importArchive(
  context: ContainerdContext,
  archive: AsyncIterable<Uint8Array>,
  { signal }: CallOptions,
): Promise<string[]> {
  const { leases } = context.services;
  const lease = `nodewright-import-${randomUUID()}`;
  await ensureLease(leases, lease, context.nowMs(), signal);
  try {
    const services = context.connection.namespace(context.namespace, lease);
    const content = createLeasedContent(services, lease);
    let count = 0;
    const contents = await readArchive(archive, (bytes, expected) => {
      count += 1;
      return content.take({ ref: `${lease}-${count}`, bytes, expected, signal });
    });
    const images = imagesInArchive(contents);
    for (const image of images) await addImage({ context, lease, content, signal }, image);
    return images.map(({ reference }) => reference);
  } finally {
    await endLease(leases, lease).catch(() => undefined);
  }
}

interface Import extends CallOptions {
  readonly context: ContainerdContext;
  readonly lease: string;
  readonly content: LeasedContent;
}

async function addImage(
  { context, lease, content, signal }: Import,
  { reference, target, madeUp }: ArchivedImage,
): Promise<void> {
  const { connection, namespace, platform } = context;
  const services = connection.namespace(namespace, lease);
  const document = async (descriptor: Descriptor): Promise<FetchedDocument> => ({
    descriptor,
    bytes: madeUp ?? (await readContent(services.content, descriptor.digest, signal)),
  });
  const root = await document(target);
  const found = isIndexType(target.mediaType)
    ? await document(requireManifest(parseIndex(root.bytes).manifests, platform))
    : root;
  const manifest = parseManifest(found.bytes);
  const config = parseImageConfig(await readContent(services.content, manifest.config.digest, signal));
  requirePlatform(config, platform);
  await finishImage({ context, lease, content, reference, root, found, manifest, config, signal });
}
