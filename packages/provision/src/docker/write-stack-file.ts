import { stringify } from 'yaml';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { writePrivateFile } from '../cluster/write-private-file.ts';
import type { StackDocument } from '../domain/stack-document.ts';

/**
 * Writes the cluster's compose file. Escapes each `$`, which compose would read as the start of a variable.
 */
export function writeStackFile(folder: ClusterFolder, document: StackDocument): Promise<void> {
  const text = stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 });
  return writePrivateFile(folder.composeFile, text.replaceAll('$', '$$$$'));
}
