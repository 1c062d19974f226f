import { join } from 'node:path';
import type { PlannedNode } from '../domain/cluster-shape.ts';

/** Where the programs of a node are. */
export interface NodePrograms {
  /** Folder of the daemons' bundles: `<folder>/machined/machined.cjs` and so on. */
  readonly servicesFolder: string;
  /** The Node.js that runs them. */
  readonly nodeBinary: string;
}

/** A small nursery, in MiB: 2 MB less resident memory at rest, 46 MB less after load, for the same CPU a call. */
const memoryFlags = ['--max-semi-space-size=2'];

/** The command line of a node's machined in process mode, program first. */
export function machinedCommand(node: PlannedNode, root: string, programs: NodePrograms): string[] {
  return [
    programs.nodeBinary,
    ...memoryFlags,
    join(programs.servicesFolder, 'machined', 'machined.cjs'),
    ...['--root', root],
    ...['--mode', 'process'],
    ...['--hostname', node.name],
    ...['--address', node.address],
    ...['--services-dir', programs.servicesFolder],
    ...['--node-binary', programs.nodeBinary],
  ];
}
