import { join } from 'node:path';
import type { PlannedNode } from '../domain/cluster-shape.ts';
import type { EtcdPrograms } from '../process/find-etcd.ts';

/** The programs of a node. */
export interface NodePrograms {
  /** The folder with the daemons' bundles: `<folder>/machined/machined.cjs` and so on. */
  readonly servicesFolder: string;
  /** The Node.js executable that runs them. */
  readonly nodeBinary: string;
  /** `undefined` when control planes run without etcd. */
  readonly etcd?: EtcdPrograms | undefined;
  /** The folder with the programs of Kubernetes; `undefined` when control planes run without it. */
  readonly kubernetes?: string | undefined;
}

/**
 * V8 flags that reduce the memory of machined.
 * - A young generation of 1 MiB and one helper thread save 4 MB, and 46 MB after load, for 4 % more CPU per
 *   call.
 * - Without on-stack replacement and with high invocation counts, the start of machined does not yet load the
 *   optimising compilers, which saves 18 MB. Code that stays hot is still optimised later.
 * - Functions that are called only a few times allocate no feedback data, which saves 1 MB.
 * - Without the baseline compiler Sparkplug, its compiled code is not kept, which saves 1 to 2 MB. Hot code
 *   is soon compiled by the other compilers anyway.
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

/** Returns the command line of a node's machined in process mode, beginning with the program. */
export function machinedCommand(node: PlannedNode, root: string, programs: NodePrograms): string[] {
  return [
    programs.nodeBinary,
    // SIGUSR1 would open the debugger of Node.js.
    '--disable-sigusr1',
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
    ...(programs.kubernetes === undefined || node.type === 'worker'
      ? []
      : ['--kubernetes-dir', programs.kubernetes]),
  ];
}
