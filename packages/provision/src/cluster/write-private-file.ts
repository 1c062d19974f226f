import { writeFileAtomically } from '@nodewright/files';

/** Everything in a cluster's folder is its owner's business: it holds keys. */
export const privateFolderMode = 0o700;

/** Replaces a file of a cluster, 0600, which other commands may write too. @throws Fault with the path */
export function writePrivateFile(path: string, content: string): Promise<void> {
  return writeFileAtomically(path, content, { hasOtherWriters: true });
}
