import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { askOwner } from '../cluster/owner-socket.ts';
import { type ClaimOwner, claimOwnerFromJson } from '../domain/claim.ts';
import { clusterPorts } from '../domain/cluster-ports.ts';
import type { ClusterState } from '../domain/cluster-state.ts';

/**
 * Returns what the cluster's supervisor reports about itself; `undefined` when it does not answer, or when
 * the answer comes from another cluster.
 */
export async function askSupervisor(
  folder: ClusterFolder,
  { network }: Pick<ClusterState, 'network'>,
): Promise<ClaimOwner | undefined> {
  if (network === undefined) return undefined;
  const owner = claimOwnerFromJson(await askOwner({ host: network.gateway, port: clusterPorts.claim }));
  return owner?.folder === folder.path ? owner : undefined;
}
