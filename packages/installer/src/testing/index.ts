export { type HostileArtefact, hostileArtefacts, otherSigner } from './hostile-artefacts.ts';
export {
  createArtefactSigner,
  goodFiles,
  goodTarget,
  layoutArchiveOf,
  platform,
  type TestArtefactInit,
  testArtefact,
} from './test-artefact.ts';
