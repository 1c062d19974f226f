import type { ClusterChange, ClusterView, Progress } from '../domain/provisioner.ts';
import type { ClusterKind } from './cluster-kind.ts';
import type { CreateParts } from './creation.ts';
import { holdCluster, viewAgain } from './start-cluster.ts';

/** Stops a cluster, or one node of it, and keeps the data. Nodes that are already stopped are not changed. */
export async function stopCluster<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  change: ClusterChange,
  progress: Progress,
): Promise<ClusterView> {
  await using held = await holdCluster(change, change.node);
  const { folder, state, supervisorPid } = held;
  const host = kind.openHost(folder, state);
  await host.require();
  if (change.node === undefined) await host.stop(state, progress);
  else await host.stopNode(state, change.node, supervisorPid, progress);
  return viewAgain(kind, folder, change);
}
