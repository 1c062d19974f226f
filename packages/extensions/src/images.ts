/** Readers of OCI images and archives of untrusted sources. The artefacts of the installer are read with them, too. */
export { entryPath, shown } from './domain/entry-path.ts';
export { showBytes } from './domain/extension-limits.ts';
export { readTar, type TarEntry } from './domain/read-tar.ts';
export { damaged, refused } from './domain/refused.ts';
export { decompressionOf, readDocument, verifiedBytes } from './host/blob-bytes.ts';
export { findSource } from './host/find-source.ts';
export type { ImageContent } from './host/image-content.ts';
export { layoutArchive } from './host/layout-archive.ts';
export { layoutFolder } from './host/layout-folder.ts';
