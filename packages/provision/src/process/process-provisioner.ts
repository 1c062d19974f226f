import { createCluster } from '../cluster/create-cluster.ts';
import type { ClusterMaker } from '../cluster/creation.ts';
import { destroyCluster, planDestroyCluster } from '../cluster/destroy-cluster.ts';
import { orFault } from '../cluster/or-fault.ts';
import { removeClusterFolder, stopProcesses } from '../cluster/remove-cluster.ts';
import { startCluster } from '../cluster/start-cluster.ts';
import { checkShape } from '../domain/cluster-shape.ts';
import { maxNodes, parseSubnet } from '../domain/subnet.ts';
import type { Provisioner } from '../provisioner.ts';
import { clusterLogs } from './cluster-logs.ts';
import { createAnew } from './create-anew.ts';
import type { ProcessParts } from './process-parts.ts';
import { showCluster, viewCluster } from './show-cluster.ts';
import { keepRunning, startAgain } from './start-again.ts';
import { startNode, stopCluster } from './stop-and-start.ts';

/**
 * Clusters whose nodes are processes of this machine, each on a loopback address of its own. `parts` is called when a
 * cluster is to be created: the other verbs do without programs.
 */
export function createProcessProvisioner(parts: () => ProcessParts): Provisioner {
  return {
    create: (request, progress, signal) =>
      orFault(async () => createCluster(processMaker, request, parts(), progress, signal)),
    show: (ref) => orFault(() => showCluster(ref)),
    start: (change, progress, signal) =>
      orFault(async () => startCluster(processMaker, startNode, change, parts(), progress, signal)),
    stop: (change, progress) => orFault(() => stopCluster(change, progress)),
    planDestroy: (ref) => orFault(() => planDestroyCluster(ref)),
    destroy: (ref, options, progress) =>
      orFault(() =>
        destroyCluster(ref, options, progress, (folder) =>
          progress.step('processes', () => stopProcesses(folder, { graceful: true })),
        ),
      ),
    logs: (ref, request) => clusterLogs(ref, request),
  };
}

const processMaker: ClusterMaker<ProcessParts> = {
  provisioner: 'process',
  async checkRequest({ shape, cidr }) {
    checkShape(shape, { kind: 'process', most: maxNodes });
    if (cidr !== undefined) parseSubnet(cidr);
  },
  createAnew,
  async clean({ folder }) {
    await stopProcesses(folder, { graceful: false });
    await removeClusterFolder(folder);
  },
  startAgain,
  keepRunning,
  view: viewCluster,
};
