import { type ContainerRuntime, type ImageInfo, runtimeNamespaces } from '@nodewright/containers';
import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import type { InstallerImages } from '../../base/domain/installer-images.ts';
import { timestampFromUnixMs } from '../../base/rpc/timestamp.ts';
import { imageNamespace } from '../domain/image-selection.ts';
import { refuseOtherImages, requireRuntime } from './require-runtime.ts';

/**
 * Implements ImageList and ImagePull for clients without ImageService. Source: Talos v1.14: MachineService,
 * images.
 */
export function createImages(
  runtime: ContainerRuntime | undefined,
  artefacts?: InstallerImages,
): Pick<MachineServiceImplementation, 'imageList' | 'imagePull'> {
  const artefactsOf = (number: number) =>
    imageNamespace(number) === runtimeNamespaces.system ? artefacts : undefined;
  /** A node of processes has artefacts and no other images. */
  const hasOnlyArtefacts = (number: number) => runtime === undefined && artefactsOf(number) !== undefined;
  const select = (number: number) => {
    const namespace = imageNamespace(number);
    return requireRuntime(runtime).namespace(namespace);
  };
  return {
    async *imageList({ namespace }, { signal }) {
      for (const image of (await artefactsOf(namespace)?.list()) ?? []) yield imageMessage(image);
      if (hasOnlyArtefacts(namespace)) return;
      const { images } = select(namespace);
      for (const image of await images.list({ signal })) yield imageMessage(image);
    },
    async imagePull({ namespace, reference }, { signal }) {
      const artefact = await artefactsOf(namespace)?.pullIfArtefact(reference, signal);
      if (artefact !== undefined) {
        for await (const _step of artefact);
        return { messages: [{}] };
      }
      if (hasOnlyArtefacts(namespace)) refuseOtherImages(reference);
      const { images } = select(namespace);
      const isThere = await images.get(reference, { signal }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Fault && error.kind === 'not-found') return false;
          throw error;
        },
      );
      if (!isThere) for await (const _step of images.pull(reference, { signal }));
      return { messages: [{}] };
    },
  };
}

/** The fields of an image in both services. */
export function imageMessage({ reference, digest, sizeBytes, createdAtMs }: ImageInfo) {
  return {
    name: reference,
    digest,
    size: BigInt(sizeBytes),
    createdAt: timestampFromUnixMs(createdAtMs),
  };
}
