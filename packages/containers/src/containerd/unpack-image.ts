import { randomUUID } from 'node:crypto';
import { Fault, faultFrom } from '@nodewright/fault';
import { chainIds, type Descriptor } from '@nodewright/oci';
import type { NamespaceServices } from './containerd-services.ts';
import type { StoredImage } from './image-content.ts';
import { prepareSnapshot } from './prepare-snapshot.ts';

export interface UnpackInit {
  readonly services: Pick<NamespaceServices, 'diff' | 'leases' | 'snapshots'>;
  readonly snapshotter: string;
  readonly lease: string;
  readonly image: Pick<StoredImage, 'manifest' | 'config'>;
  readonly onLayer?: (layer: Descriptor, status: 'extracting' | 'extracted') => void;
  readonly signal?: AbortSignal;
}

/**
 * Creates a snapshot of each layer on top of the layers below it. Returns the name of the top one; the lease
 * holds it.
 */
export async function unpackImage(init: UnpackInit): Promise<string> {
  const { manifest, config } = init.image;
  if (manifest.layers.length !== config.diffIds.length)
    throw new Fault(
      'data-loss',
      `the image has ${manifest.layers.length} layers, but its configuration names ${config.diffIds.length}`,
    );
  let parent = '';
  for (const [index, name] of chainIds(config.diffIds).entries()) {
    const layer = manifest.layers[index] as Descriptor;
    if (!(await isThere(init, name))) {
      init.onLayer?.(layer, 'extracting');
      await unpackLayer(init, { layer, name, parent, diffId: config.diffIds[index] ?? '' });
    }
    init.onLayer?.(layer, 'extracted');
    parent = name;
  }
  return parent;
}

/** From now on the lease holds it. */
async function isThere({ services, snapshotter, lease, signal }: UnpackInit, key: string): Promise<boolean> {
  const resource = { id: key, type: `snapshots/${snapshotter}` };
  await services.leases.addResource({ id: lease, resource }, { signal });
  try {
    await services.snapshots.stat({ snapshotter, key }, { signal });
    return true;
  } catch (error) {
    if (faultFrom(error).kind === 'not-found') return false;
    throw error;
  }
}

interface LayerStep {
  readonly layer: Descriptor;
  readonly name: string;
  readonly parent: string;
  readonly diffId: string;
}

async function unpackLayer(
  { services: { snapshots, diff }, snapshotter, signal }: UnpackInit,
  { layer, name, parent, diffId }: LayerStep,
): Promise<void> {
  const key = `unpack-${randomUUID()} ${name}`;
  const { mounts } = await prepareSnapshot(snapshots, { snapshotter, key, parent }, signal);
  try {
    const { mediaType, digest, size } = layer;
    const { applied } = await diff.apply(
      { diff: { mediaType, digest, size: BigInt(size) }, mounts },
      { signal },
    );
    if (applied?.digest !== diffId)
      throw new Fault(
        'data-loss',
        `layer ${digest} unpacks to ${applied?.digest}, but the image specifies ${diffId}`,
      );
    await snapshots.commit({ snapshotter, name, key }, { signal });
  } catch (error) {
    await snapshots.remove({ snapshotter, key }).catch(() => undefined);
    // Another process has unpacked it in the meantime.
    if (faultFrom(error).kind !== 'already-exists') throw error;
  }
}
