import { join } from 'node:path';
import type { PlannedNode } from '../domain/cluster-shape.ts';
import type { EtcdPrograms } from '../process/find-etcd.ts';

/** Where the programs of a node are. */
export interface NodePrograms {
  /** Folder of the daemons' bundles: `<folder>/machined/machined.cjs` and so on. */
  readonly servicesFolder: string;
  /** The Node.js that runs them. */
  readonly nodeBinary: string;
  /** Undefined: control planes have no etcd. */
  readonly etcd?: EtcdPrograms | undefined;
}

/**
 * What keeps a machined at rest small: a small nursery (MiB) and one helper thread for V8 save 4 MB, and 46 MB after
 * load, for 4 % more CPU a call. Without on-stack replacement, and with code called a hundred thousand times before it
 * is optimised, the optimising compilers, 18 MB of them and of what they make, are not brought in by the start alone;
 * code that stays hot is optimised all the same. What is called a few times only is not observed for it either: 1 MB.
 * The compiler between the interpreter and those keeps what it compiles, and what is hot gets past it soon: 1 to 2 MB.
 */
const memoryFlags = [
  '--max-semi-space-size=1',
  '--v8-pool-size=1',
  '--no-use-osr',
  '--no-sparkplug',
  '--invocation-count-for-maglev=100000',
  '--invocation-count-for-turbofan=300000',
  '--invocation-count-for-feedback-allocation=64',
];

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
    ...(programs.etcd === undefined
      ? []
      : ['--etcd-binary', programs.etcd.etcd, '--etcdutl-binary', programs.etcd.etcdutl]),
  ];
}
