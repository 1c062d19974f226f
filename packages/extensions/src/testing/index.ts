export { createSetSigner, type SetSigner, type SignedSetInit, signedSet } from './signed-set.ts';
export { tarBytes, type WrittenEntry } from './tar-bytes.ts';
export {
  layoutArchiveBytes,
  manifestText,
  type TestImage,
  testImage,
  writeLayout,
} from './test-extension.ts';
export { zstdFrame } from './zstd-frame.ts';
