export type { Descriptor } from './descriptor.ts';
export { digestOf, hashOf, isDigest, verifyDigest } from './digest.ts';
export type { Credentials } from './distribution/authorization.ts';
export {
  type RegistrySettings,
  registryEndpoints,
} from './distribution/configured-endpoints.ts';
export {
  type DistributionClient,
  type DistributionClientInit,
  type DistributionOptions,
  type FetchedDocument,
  type OpenedBlob,
  openDistributionClient,
} from './distribution/distribution-client.ts';
export { decidingFault, isRefusal } from './distribution/is-refusal.ts';
export {
  type EndpointsOf,
  type EndpointTls,
  ownEndpoints,
  type RegistryEndpoint,
  registryHost,
} from './distribution/registry-endpoint.ts';
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
export {
  formatImageReference,
  type ImageReference,
  isRegistry,
  isRepository,
  isTag,
  parseImageReference,
} from './image-reference.ts';
export { manifestLimitBytes } from './manifest-limit.ts';
export { mediaTypeOf } from './media-type-of.ts';
export { isIndexType, isManifestType, mediaTypes } from './media-types.ts';
export {
  formatPlatform,
  matchesPlatform,
  type Platform,
  parsePlatform,
  platformOfNode,
  selectManifest,
} from './platform.ts';
