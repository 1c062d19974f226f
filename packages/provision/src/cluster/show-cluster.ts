import type { ClusterState } from '../domain/cluster-state.ts';
import type { ClusterRef, ClusterView } from '../domain/provisioner.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import type { ClusterKind, NodeHost } from './cluster-kind.ts';
import type { CreateParts } from './creation.ts';
import { locateCluster, readCluster } from './read-cluster.ts';
import { storedView } from './stored-view.ts';

/** Returns the cluster with the current state of its nodes. */
export async function showCluster<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  ref: ClusterRef,
): Promise<ClusterView> {
  const folder = await locateCluster(ref, { make: false });
  const { state, supervisorPid } = await readCluster(ref, folder);
  const host = kind.openHost(folder, state);
  await host.require();
  return viewCluster(host, folder, state, supervisorPid);
}

export async function viewCluster(
  host: NodeHost,
  folder: ClusterFolder,
  state: ClusterState,
  supervisorPid: number | undefined,
): Promise<ClusterView> {
  const { isRunning, jaeger, nodes } = await host.look(state, supervisorPid);
  return {
    ...storedView(folder, state, supervisorPid, isRunning ? 'running' : 'stopped'),
    ...(jaeger && { jaeger }),
    nodes,
  };
}
