import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import type { Logger } from '@nodewright/telemetry';
import type { OpenAttributes } from '../host/file-attributes.ts';
import type { NodeFiles } from '../host/node-files.ts';
import { createCopy } from './copy.ts';
import { createDiskUsage } from './disk-usage.ts';
import { createList } from './list.ts';
import { createRead } from './read.ts';

export interface FilesInit {
  readonly files: NodeFiles;
  readonly attributes: OpenAttributes;
  readonly log: Logger;
}

/** Implements the calls that read the files of the node. Source: Talos v1.14: files. */
export function createFiles({
  files,
  attributes,
  log,
}: FilesInit): Pick<MachineServiceImplementation, 'copy' | 'diskUsage' | 'list' | 'read'> {
  return {
    ...createList(files, attributes),
    ...createDiskUsage(files),
    ...createRead(files, log),
    ...createCopy(files),
  };
}
