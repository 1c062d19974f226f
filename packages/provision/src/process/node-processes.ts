import { basename } from 'node:path';
import { readProcesses } from '../cluster/read-process.ts';
import type { NodeView } from '../domain/provisioner.ts';

/** A running process of a node. */
export interface NodeProcess {
  /** The name of the service, such as `apid` or `kube-apiserver`. */
  readonly name: string;
  readonly pid: number;
  readonly args: readonly string[];
}

/** The processes of each node of a cluster of processes: machined, and the services that it has started. */
export function readNodeProcesses(nodes: readonly NodeView[]): ReadonlyMap<string, readonly NodeProcess[]> {
  const all = readProcesses();
  return new Map(
    nodes.map(({ name, pid }) => [
      name,
      all
        .filter(
          (each) => pid !== undefined && (each.pid === pid || each.parent === pid) && each.args.length > 0,
        )
        .map(({ pid: own, args }) => ({ name: serviceName(args), pid: own, args })),
    ]),
  );
}

/** Daemons are bundles that Node.js runs; other services are programs. */
export function serviceName(args: readonly string[]): string {
  const bundle = args.find((word) => word.endsWith('.cjs') && !word.startsWith('-'));
  return bundle === undefined ? basename(args[0] ?? '') : basename(bundle, '.cjs');
}
