import { parseImageReference } from '@nodewright/oci';
import { blobPath, manifestPath } from '@nodewright/oci/cache';
import type { OciImage } from './oci-image.ts';

/** The files of an image in an image cache, by their paths. @param name registry, repository and tag */
export function cachedFiles(
  name: string,
  { manifest, config, layers }: OciImage,
): Readonly<Record<string, Buffer>> {
  const reference = parseImageReference(name);
  const { registry, repository } = reference;
  return {
    [manifestPath(reference)]: manifest.content,
    [manifestPath({ registry, repository, digest: manifest.digest })]: manifest.content,
    ...Object.fromEntries([config, ...layers].map(({ digest, content }) => [blobPath(digest), content])),
  };
}
