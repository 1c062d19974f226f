import type { ClusterRef, Provisioner } from '../provisioner.ts';
import { clusterLogs } from './cluster-logs.ts';
import { createCluster } from './create-cluster.ts';
import type { CreateParts } from './creation.ts';
import { destroyCluster, planDestroyCluster } from './destroy-cluster.ts';
import { showCluster } from './show-cluster.ts';

/**
 * Clusters whose nodes are processes of this machine, each on a loopback address of its own. `parts` is called when a
 * cluster is to be created: the other verbs do without programs.
 */
export function createProcessProvisioner(parts: () => CreateParts): Provisioner {
  return {
    create: async (request, progress, signal) => createCluster(request, parts(), progress, signal),
    show: (ref: ClusterRef) => showCluster(ref),
    planDestroy: (ref) => planDestroyCluster(ref),
    destroy: (ref, options, progress) => destroyCluster(ref, options, progress),
    logs: (ref, request) => clusterLogs(ref, request),
  };
}
