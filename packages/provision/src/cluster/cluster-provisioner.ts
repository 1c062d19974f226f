import { Fault } from '@nodewright/fault';
import type { ClusterRef, LogLine, LogRequest, Provisioner } from '../domain/provisioner.ts';
import type { ClusterKind } from './cluster-kind.ts';
import { createCluster } from './create-cluster.ts';
import type { CreateParts } from './creation.ts';
import { destroyCluster, planDestroyCluster } from './destroy-cluster.ts';
import { joinNode } from './join-node.ts';
import { orFault } from './or-fault.ts';
import { locateCluster, readCluster } from './read-cluster.ts';
import { showCluster } from './show-cluster.ts';
import { startCluster } from './start-cluster.ts';
import { stopCluster } from './stop-cluster.ts';

/**
 * Creates the provisioner for one kind of cluster. `parts` is called only by actions that start nodes; the
 * others do not need the nodes' programs.
 */
export function createClusterProvisioner<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  parts: () => Parts,
): Provisioner {
  return {
    create: (request, progress, signal) =>
      orFault(async () => createCluster(kind, request, parts(), progress, signal)),
    show: (ref) => orFault(() => showCluster(kind, ref)),
    start: (change, progress, signal) =>
      orFault(async () => startCluster(kind, change, parts(), progress, signal)),
    join: (request, progress, signal) =>
      orFault(async () => joinNode(kind, request, parts(), progress, signal)),
    stop: (change, progress) => orFault(() => stopCluster(kind, change, progress)),
    planDestroy: (ref) => orFault(() => planDestroyCluster(kind, ref)),
    destroy: (ref, options, progress) => orFault(() => destroyCluster(kind, ref, options, progress)),
    logs: (ref, request) => clusterLogs(kind, ref, request),
  };
}

/**
 * Yields the output of the daemons of a cluster's nodes and, with `follow`, later output until the signal is
 * aborted. Source: Talos v1.14: cluster logs.
 */
async function* clusterLogs<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  ref: ClusterRef,
  { node, ...request }: LogRequest,
): AsyncGenerator<LogLine> {
  const folder = await locateCluster(ref, { make: false });
  const { state } = await readCluster(ref, folder);
  const nodes = state.nodes.filter(({ name }) => node === undefined || name === node);
  if (nodes.length === 0) {
    const known = state.nodes.map(({ name }) => name).join(', ');
    throw new Fault('not-found', `cluster "${ref.name}" has no node "${node}": it has ${known}`);
  }
  const host = kind.openHost(folder, state);
  await host.require();
  yield* host.logs(state, nodes, request);
}
