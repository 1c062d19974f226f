import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { locateCluster, readCluster } from '../cluster/read-cluster.ts';
import { storedView } from '../cluster/stored-view.ts';
import type { NodeStatus } from '../domain/claim.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import type { ClusterRef, ClusterView } from '../provisioner.ts';
import { askSupervisor } from './ask-supervisor.ts';

/** The cluster and what runs of it now. */
export async function showCluster(ref: ClusterRef): Promise<ClusterView> {
  const folder = await locateCluster(ref, { make: false });
  const { state, supervisorPid } = await readCluster(ref, folder);
  return viewCluster(folder, state, supervisorPid);
}

/** Asks the supervisor, if one runs, how the nodes are. */
export async function viewCluster(
  folder: ClusterFolder,
  state: ClusterState,
  supervisorPid: number | undefined,
): Promise<ClusterView> {
  const statuses = supervisorPid === undefined ? [] : await askStatuses(folder, state, supervisorPid);
  return {
    ...storedView(folder, state, supervisorPid, supervisorPid === undefined ? 'stopped' : 'running'),
    nodes: state.nodes.map((node) => ({
      ...node,
      ...(statuses.find(({ name }) => name === node.name) ?? { state: 'stopped' as const }),
    })),
  };
}

/** Only the pid we know is believed. */
async function askStatuses(
  folder: ClusterFolder,
  state: ClusterState,
  supervisorPid: number,
): Promise<readonly NodeStatus[]> {
  const owner = await askSupervisor(folder, state);
  return owner?.pid === supervisorPid ? owner.nodes : [];
}
