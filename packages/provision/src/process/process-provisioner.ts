import { faultFrom } from '@nodewright/fault';
import type { Provisioner } from '../provisioner.ts';
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
    create: (request, progress, signal) =>
      orFault(async () => createCluster(request, parts(), progress, signal)),
    show: (ref) => orFault(() => showCluster(ref)),
    planDestroy: (ref) => orFault(() => planDestroyCluster(ref)),
    destroy: (ref, options, progress) => orFault(() => destroyCluster(ref, options, progress)),
    logs: (ref, request) => clusterLogs(ref, request),
  };
}

/** What the file system and the network throw gets a kind. */
async function orFault<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw faultFrom(error);
  }
}
