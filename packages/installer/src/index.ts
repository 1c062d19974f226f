export {
  type ArtefactDescription,
  type ArtefactFile,
  type Edition,
  editions,
} from './domain/artefact-description.ts';
export { artefactLimits } from './domain/artefact-limits.ts';
export { isSignedIndex, signatureAnnotation } from './domain/artefact-signature.ts';
export {
  checkTarget,
  filesFor,
  type NodeKind,
  neededFiles,
  nodeKinds,
  type UpgradeTarget,
} from './domain/check-target.ts';
export {
  type ArtefactLayer,
  type EncodeArtefactInit,
  type EncodedArtefact,
  type EncodedDocument,
  encodeArtefact,
} from './domain/encode-artefact.ts';
export { compareVersions, isVersion } from './domain/version-order.ts';
export { type OpenArtefactInit, openArtefact } from './host/open-artefact.ts';
export { type ArtefactSink, type ReadArtefactInit, readArtefact } from './host/read-artefact.ts';
export { type RegistryStreamInit, registryStream } from './host/registry-stream.ts';
export { type ArtefactTrust, type VerifiedArtefact, verifyArtefact } from './host/verify-artefact.ts';
