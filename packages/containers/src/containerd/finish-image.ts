import type { FetchedDocument } from '@nodewright/oci';
import type { ContainerdContext } from './containerd-context.ts';
import type { LeasedContent } from './content-store.ts';
import type { StoredImage } from './image-content.ts';
import { recordImage } from './record-image.ts';
import { type UnpackInit, unpackImage } from './unpack-image.ts';

export interface FinishImageInit
  extends Pick<StoredImage, 'manifest' | 'config'>,
    Pick<UnpackInit, 'lease' | 'onLayer' | 'signal'> {
  readonly context: ContainerdContext;
  /** A content store that has the configuration and the layers already. */
  readonly content: LeasedContent;
  readonly reference: string;
  /** The target of the reference, and the manifest for this platform; they may be the same. */
  readonly root: FetchedDocument;
  readonly found: FetchedDocument;
}

/**
 * Unpacks an image whose content is complete, and creates its name. From then on the name holds all of its
 * content.
 */
export async function finishImage(init: FinishImageInit): Promise<void> {
  const { context, lease, content, manifest, config, root, found, onLayer, signal } = init;
  const { connection, namespace, snapshotter } = context;
  const services = connection.namespace(namespace, lease);

  const top = await unpackImage({
    services,
    snapshotter,
    lease,
    image: { manifest, config },
    onLayer,
    signal,
  });
  const unpacked: Record<string, string> = {};
  if (top !== '') unpacked[`containerd.io/gc.ref.snapshot.${snapshotter}`] = top;
  await content.addLabels(manifest.config.digest, unpacked, signal);

  const layers = manifest.layers.map(({ digest }, index) => [
    `containerd.io/gc.ref.content.l.${index}`,
    digest,
  ]);
  const parts = Object.fromEntries([
    ['containerd.io/gc.ref.content.config', manifest.config.digest],
    ...layers,
  ]);
  await content.put(found.descriptor, found.bytes, parts, signal);
  if (root.descriptor.digest !== found.descriptor.digest)
    await content.put(
      root.descriptor,
      root.bytes,
      { 'containerd.io/gc.ref.content.m.0': found.descriptor.digest },
      signal,
    );
  await recordImage(services.images, init.reference, root.descriptor, signal);
}
