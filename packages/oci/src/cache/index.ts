export { TransferRate } from '../transfer-rate.ts';
export type { BlobFile, Piece } from './blob-file.ts';
export { type CacheFiles, type ListedFile, openCacheFiles, openFlatFiles } from './cache-files.ts';
export * from './cache-paths.ts';
export { type ImageFolder, openImageFolder, type StoredManifest } from './image-folder.ts';
export * from './oci-layout.ts';
export { readStored } from './stored-file.ts';
export { VerifiedFiles } from './verified-files.ts';
