export { createSetSigner, type SetSigner, type SignedSetInit, signedSet } from './signed-set.ts';
export {
  layoutArchiveBytes,
  manifestText,
  type TestImage,
  testImage,
  writeLayout,
} from './test-extension.ts';
