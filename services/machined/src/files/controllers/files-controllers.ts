import type { Controller } from '@nodewright/controllers';
import { createEtcFiles } from '../host/etc-files.ts';
import { etcFileController } from './etc-file.ts';
import { rootFilesController } from './root-files.ts';

export interface FilesControllersInit {
  /** The node's root, without a slash at its end: nothing is written outside of it. */
  readonly root: string;
}

/** Where files are written that stand for those below `/etc`. Source: Talos v1.14: writable areas. */
const etcFolder = 'system/etc';

/** Source: Talos v1.14: COSI resources, files. */
export function filesControllers({ root }: FilesControllersInit): Controller[] {
  const folder = `${root}/${etcFolder}`;
  // A node of processes has an `/etc` of its own below its root. That of a container belongs to its engine and its image.
  const etc = root === '' ? undefined : `${root}/etc`;
  return [etcFileController(createEtcFiles(folder, etc)), rootFilesController()];
}
