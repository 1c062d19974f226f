import { faultFrom } from '@nodewright/fault';
import type { Descriptor } from '@nodewright/oci';
import type { NamespaceServices } from './containerd-services.ts';

/** Makes a name refer to an image, whatever it referred to before. */
export async function recordImage(
  images: NamespaceServices['images'],
  name: string,
  { mediaType, digest, size }: Descriptor,
  signal?: AbortSignal,
): Promise<void> {
  const image = { name, target: { mediaType, digest, size: BigInt(size) } };
  try {
    await images.create({ image }, { signal });
  } catch (error) {
    if (faultFrom(error).kind !== 'already-exists') throw error;
    await images.update({ image, updateMask: ['target'] }, { signal });
  }
}
