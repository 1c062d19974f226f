import type { ClusterState } from '../domain/cluster-state.ts';
import { endpointsOf } from './await-nodes.ts';
import type { NodeLauncher } from './cluster-kind.ts';
import type { Creation } from './creation.ts';
import { formEtcd } from './form-etcd.ts';

export interface ClusterEtcd {
  readonly creation: Creation;
  readonly launcher: NodeLauncher;
  readonly state: ClusterState;
  readonly talosconfig: string;
  readonly isNewCluster: boolean;
  /** Only this node is waited for; empty for all. */
  readonly node: string;
}

/**
 * Resolves when every control plane, or the one that was started, is a voting member of etcd. If no node has
 * etcd data, etcd is bootstrapped first. Does nothing for clusters without etcd, or when the user did not
 * request the bootstrap.
 */
export async function formClusterEtcd(cluster: ClusterEtcd, timeoutMs?: number): Promise<void> {
  const { creation, launcher, state, talosconfig, isNewCluster, node } = cluster;
  const { parts, request, progress, signal, milestones } = creation;
  const etcd = launcher.etcd(state, { isNewCluster });
  if (etcd.kind === 'absent') {
    if (etcd.note !== undefined) progress.note(etcd.note);
    return;
  }
  if (!request.bootstrap) return;
  const endpoints = endpointsOf(talosconfig);
  const controlPlanes = state.nodes
    .filter(({ type }) => type === 'controlplane')
    .map(({ name, address }, index) => ({ name, address, endpoint: endpoints[index] ?? address }))
    .filter(({ name }) => node === '' || name === node);
  await using probe = await parts.openEtcdProbe(talosconfig);
  await formEtcd({
    ...{ controlPlanes, isNew: etcd.isNew && node === '', probe, progress, signal },
    timeoutMs: timeoutMs ?? etcd.timeoutMs,
  });
  milestones.votes = { count: controlPlanes.length, at: performance.now() };
}
