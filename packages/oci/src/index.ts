export type { Descriptor } from './descriptor.ts';
export { digestOf, isDigest, verifyDigest } from './digest.ts';
export type { Credentials } from './distribution/authorization.ts';
export {
  type DistributionClient,
  type DistributionClientInit,
  type DistributionOptions,
  type FetchedDocument,
  openDistributionClient,
} from './distribution/distribution-client.ts';
export { type EndpointsOf, ownEndpoints, type RegistryEndpoint } from './distribution/registry-endpoint.ts';
export {
  chainIds,
  type ImageConfig,
  type ImageIndex,
  type ImageManifest,
  type ImageProcess,
  parseImageConfig,
  parseIndex,
  parseManifest,
} from './image-documents.ts';
export { formatImageReference, type ImageReference, parseImageReference } from './image-reference.ts';
export { isIndexType, isManifestType, mediaTypes } from './media-types.ts';
export {
  formatPlatform,
  matchesPlatform,
  type Platform,
  platformOfNode,
  selectManifest,
} from './platform.ts';
