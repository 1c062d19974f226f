import { stringify } from 'yaml';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { writePrivateFile } from '../cluster/write-private-file.ts';
import type { StackDocument } from '../domain/stack-document.ts';

/**
 * Writes the cluster's compose file. Escapes each `$`, which compose would read as the start of a variable.
 */
export function writeStackFile(folder: ClusterFolder, document: StackDocument): Promise<void> {
  return writePrivateFile(folder.composeFile, textOf(document).replaceAll('$', '$$$$'));
}

/** Writes a document that was read from such a file: what was escaped still is. */
export const writeEscapedStackFile = (folder: ClusterFolder, document: StackDocument): Promise<void> =>
  writePrivateFile(folder.composeFile, textOf(document));

const textOf = (document: StackDocument) =>
  stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 });
