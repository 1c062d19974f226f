import { Fault, faultFrom } from '@nodewright/fault';
import { isIndexType, isManifestType, mediaTypes } from './media-types.ts';

/**
 * The media type of a manifest or an index: the one that it names, or else the one of OCI that its keys belong to.
 *
 * @throws Fault `data-loss` when it is no JSON object
 */
export function mediaTypeOf(bytes: Uint8Array): string {
  const { mediaType, manifests } = objectFrom(bytes);
  if (typeof mediaType === 'string' && (isIndexType(mediaType) || isManifestType(mediaType)))
    return mediaType;
  return Array.isArray(manifests) ? mediaTypes.index : mediaTypes.manifest;
}

function objectFrom(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    throw new Fault('data-loss', 'the manifest of the image is no JSON object', { cause: faultFrom(error) });
  }
  throw new Fault('data-loss', 'the manifest of the image is no JSON object');
}
