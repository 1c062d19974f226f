import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { readLivePid } from '../cluster/cluster-processes.ts';
import { askOwner } from '../cluster/owner-socket.ts';
import { type ClaimOwner, claimOwnerFromJson } from '../domain/claim.ts';
import { clusterPorts } from '../domain/cluster-ports.ts';
import type { ClusterState } from '../domain/cluster-state.ts';

/**
 * How long a supervisor may take to answer. On a machine that starts a cluster it may wait seconds for a processor, and must not count
 * as dead then. One that has ended takes no time: its port refuses the connection.
 */
const answerMs = 20_000;

/**
 * Returns what the cluster's supervisor reports about itself; `undefined` when it has ended, hangs, or when the answer comes from
 * another cluster. Every user of the host can listen on the port, and callers send signals to the process that the answer names:
 * it must be the one that the cluster's own folder names, which nobody else can write to.
 */
export async function askSupervisor(
  folder: ClusterFolder,
  { network }: Pick<ClusterState, 'network'>,
): Promise<ClaimOwner | undefined> {
  if (network === undefined) return undefined;
  const owner = claimOwnerFromJson(
    await askOwner({ host: network.gateway, port: clusterPorts.claim }, answerMs),
  );
  if (owner?.folder !== folder.path) return undefined;
  return owner.pid === readLivePid(folder, folder.supervisorPid) ? owner : undefined;
}
