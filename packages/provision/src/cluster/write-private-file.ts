import { writeFileAtomically } from '@nodewright/files';

/** The folder of a cluster is private to its owner, because it holds keys. */
export const privateFolderMode = 0o700;

/**
 * Replaces a file of a cluster, with mode 0600, even if other commands write it too. @throws Fault with the
 * path
 */
export function writePrivateFile(path: string, content: string): Promise<void> {
  return writeFileAtomically(path, content, { hasOtherWriters: true });
}
