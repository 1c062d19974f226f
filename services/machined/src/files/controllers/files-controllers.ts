import type { Controller } from '@nodewright/controllers';
import { nodeResolverFiles, nodeResolverFolder } from '@nodewright/node-files';
import { createEtcFiles, type EtcFiles, withCopies } from '../host/etc-files.ts';
import { etcFileController } from './etc-file.ts';
import { rootFilesController } from './root-files.ts';

export interface FilesControllersInit {
  /** The node's root, without a trailing slash. No file outside of it is written. */
  readonly root: string;
  /** Nothing else writes below `/etc`, as on a machine: the files are written there. */
  readonly ownsEtc?: boolean;
  /** The node makes containers that look up names: copies of the files for that are in a folder of their own. */
  readonly runsContainers?: boolean;
}

/** The folder, below the node's root, of the files that appear below `/etc`. Source: Talos v1.14: writable areas. */
const etcFolder = 'system/etc';

/** Creates the controllers that write files below `/etc`. Source: Talos v1.14: COSI resources, files. */
export function filesControllers({
  root,
  ownsEtc = false,
  runsContainers = false,
}: FilesControllersInit): Controller[] {
  const controllersOf = (files: EtcFiles) => {
    const copies = createEtcFiles(root + nodeResolverFolder);
    const written = runsContainers ? withCopies(files, copies, new Set(nodeResolverFiles)) : files;
    return [etcFileController(written), rootFilesController()];
  };
  if (ownsEtc) return controllersOf(createEtcFiles(`${root}/etc`));
  const folder = `${root}/${etcFolder}`;
  // A node of processes has an `/etc` of its own below its root. The `/etc` of a container belongs to its
  // engine and image.
  const etc = root === '' ? undefined : `${root}/etc`;
  return controllersOf(createEtcFiles(folder, etc));
}
