/** Sets of extensions in one file, which nodes verify. */
export {
  decodeSetDescription,
  type ExtensionSetDescription,
  encodeSetDescription,
  extensionSetLimits,
  type SetLayer,
  setArchiveBytes,
  setFiles,
  setTreeInit,
} from './domain/extension-set.ts';
export { type SetTrust, type VerifiedSet, verifyExtensionSet } from './domain/verify-extension-set.ts';
