export { type CheckedEntry, ContentCheck, manifestName, rootName } from './domain/content-check.ts';
export type { EntryKind, ExtensionEntry } from './domain/extension-entry.ts';
export { extensionLimits } from './domain/extension-limits.ts';
export { type ExtensionMetadata, extensionMetadata, indexLayerName } from './domain/extension-manifest.ts';
export type { NamedSource } from './domain/source-name.ts';
export { satisfiesConstraint } from './domain/version-constraint.ts';
export type { ExtensionSource, SquashfsTools } from './host/extension-source.ts';
export { findSource, type OpenSourceInit, openSource, referenceDigest } from './host/open-source.ts';
export { type CheckedExtension, checkExtension, placeExtension } from './host/read-extension.ts';
