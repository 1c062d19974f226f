export { type BlobFile, openBlobFile, type Piece } from './blob-file.ts';
export * from './cache-paths.ts';
export { type ImageFolder, openImageFolder, type StoredManifest } from './image-folder.ts';
export { TransferRate } from './transfer-rate.ts';
export { VerifiedFiles } from './verified-files.ts';
