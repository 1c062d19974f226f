import {
  type ContainerRuntime,
  type ImageStore,
  type LayerProgress,
  runtimeNamespaces,
} from '@nodewright/containers';
import {
  type ImageServiceImplementation,
  type ImageServiceImportRequest,
  ImageServicePullLayerProgress_Status as LayerStatus,
} from '@nodewright/contract/gen/machine/image.ts';
import { Fault } from '@nodewright/fault';
import type { InstallerImages } from '../../base/domain/installer-images.ts';
import { imageNamespaceOf } from '../domain/image-selection.ts';
import { imageMessage } from './images.ts';
import { refuseOtherImages, requireRuntime } from './require-runtime.ts';

type Instance = Parameters<typeof imageNamespaceOf>[0];

const layerStatuses = {
  downloading: LayerStatus.DOWNLOADING,
  downloaded: LayerStatus.DOWNLOAD_COMPLETE,
  extracting: LayerStatus.EXTRACTING,
  extracted: LayerStatus.EXTRACT_COMPLETE,
  'already-exists': LayerStatus.ALREADY_EXISTS,
} as const satisfies Record<LayerProgress['status'], LayerStatus>;

/**
 * Implements ImageService for the images of the node's container runtime, and for artefacts of the installer, which are images of the
 * namespace of the system. Source: Talos v1.14: ImageService.
 *
 * @param artefacts undefined on a node that has no such store
 */
export function createImageService(
  runtime: ContainerRuntime | undefined,
  artefacts?: InstallerImages,
): Omit<ImageServiceImplementation, 'verify'> {
  const artefactsOf = (instance: Instance) =>
    imageNamespaceOf(instance) === runtimeNamespaces.system ? artefacts : undefined;
  /** A node of processes has artefacts and no other images. */
  const hasOnlyArtefacts = (instance: Instance) =>
    runtime === undefined && artefactsOf(instance) !== undefined;
  const imagesOf = (instance: Instance): ImageStore => {
    const namespace = imageNamespaceOf(instance);
    return requireRuntime(runtime).namespace(namespace).images;
  };
  return {
    async *list({ containerd }, { signal }) {
      for (const image of (await artefactsOf(containerd)?.list()) ?? [])
        yield { ...imageMessage(image), labels: image.labels };
      if (hasOnlyArtefacts(containerd)) return;
      for (const image of await imagesOf(containerd).list({ signal }))
        yield { ...imageMessage(image), labels: image.labels };
    },
    async *pull({ containerd, imageRef }, { signal }) {
      const artefact = await artefactsOf(containerd)?.pullIfArtefact(imageRef, signal);
      if (artefact === undefined && hasOnlyArtefacts(containerd)) refuseOtherImages(imageRef);
      for await (const step of artefact ?? imagesOf(containerd).pull(imageRef, { signal })) {
        if (step.kind === 'layer')
          yield { response: { $case: 'pullProgress', value: layerMessage(step.layer) } };
        else yield { response: { $case: 'name', value: pinned(step.image) } };
      }
    },
    async import(requests, { signal }) {
      const messages = requests[Symbol.asyncIterator]();
      const first = await messages.next();
      const begin = first.done ? undefined : first.value.request;
      if (begin?.$case !== 'containerd')
        throw new Fault('invalid-argument', 'containerd instance is required');
      const given = archiveOf(messages);
      const found = await artefactsOf(begin.value)?.importIfArtefact(given, signal);
      if (found?.kind === 'artefact') return { name: found.image.reference };
      if (hasOnlyArtefacts(begin.value)) refuseOtherImages('the archive');
      const images = imagesOf(begin.value);
      const [taken] = await images.import(found?.archive ?? given, { signal });
      if (taken === undefined)
        throw new Fault('invalid-argument', 'the archive holds no image that has a name');
      return { name: taken.reference };
    },
    async remove({ containerd, imageRef }, { signal }) {
      if (await artefactsOf(containerd)?.remove(imageRef)) return {};
      if (hasOnlyArtefacts(containerd)) throw new Fault('not-found', `image ${imageRef} not found`);
      const images = imagesOf(containerd);
      try {
        await images.remove(imageRef, { signal, withDigests: true });
      } catch (error) {
        if (!(error instanceof Fault && error.kind === 'not-found')) throw error;
        throw new Fault('not-found', `image ${imageRef} not found`, { cause: error });
      }
      return {};
    },
  };
}

async function* archiveOf(messages: AsyncIterator<ImageServiceImportRequest>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { value, done } = await messages.next();
    if (done) return;
    if (value.request?.$case !== 'imageChunk')
      throw new Fault(
        'invalid-argument',
        'only the first message of an import may select a containerd instance: send image chunks after it',
      );
    yield value.request.value.bytes;
  }
}

function layerMessage({ id, status, elapsedMs, offsetBytes, totalBytes }: LayerProgress) {
  const seconds = Math.floor(elapsedMs / 1000);
  return {
    layerId: id,
    progress: {
      status: layerStatuses[status],
      elapsed: { seconds: BigInt(seconds), nanos: Math.round((elapsedMs - seconds * 1000) * 1e6) },
      offset: BigInt(offsetBytes),
      total: BigInt(totalBytes),
    },
  };
}

/** The reference with the digest instead of the tag. */
function pinned({ reference, digest }: { readonly reference: string; readonly digest: string }): string {
  const name = reference.replace(/@.*$/, '').replace(/:[^:/]+$/, '');
  return `${name}@${digest}`;
}
