import type { BoundedCalls, FileSystemSizes } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import type { World } from '../base/domain/world.ts';
import type { Topic } from '../base/topic.ts';
import { filesControllers } from './controllers/files-controllers.ts';
import { ownKernelFiles } from './domain/own-kernel-files.ts';
import { createFileAttributes } from './host/file-attributes.ts';
import { createNodeFiles } from './host/node-files.ts';
import { createFiles } from './rpc/files.ts';
import { createStatfs } from './rpc/statfs.ts';

export interface OpenFilesInit {
  /** The node's root, without a trailing slash. No call leaves it, and no file outside of it is written. */
  readonly root: string;
  readonly world: World;
  /** Nothing else writes below `/etc`, as on a machine. */
  readonly ownsEtc: boolean;
  readonly bootId: string;
  readonly hostname: () => string;
  readonly sizes: FileSystemSizes;
  /** Makes the calls to file systems that may hang. */
  readonly bounded: BoundedCalls;
  readonly log: Logger;
}

/**
 * Opens the topic of files: the calls that read files of the node, and the controllers that write those below
 * `/etc`.
 */
export function openFiles(init: OpenFilesInit): Topic {
  const { root, world, ownsEtc, bootId, hostname, sizes, bounded, log } = init;
  const files = createNodeFiles({
    root,
    bounded,
    contents: () => ownKernelFiles(world, hostname(), bootId),
  });
  return {
    controllers: filesControllers({ root, ownsEtc, runsContainers: world.runsContainers }),
    api: {
      'machine.MachineService': createFiles({ files, attributes: createFileAttributes(log), log }),
      'machine.StorageService': createStatfs(files, sizes),
    },
  };
}
