import { parseTalosconfig } from '@nodewright/client/talosconfig';
import type { Creation } from '../cluster/creation.ts';
import { formEtcd } from '../cluster/form-etcd.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import type { DockerParts } from './docker-parts.ts';

/**
 * Resolves when every control plane has a vote in etcd, which is bootstrapped when the cluster `isNew`. Clusters whose maker
 * wants to do it himself are left alone.
 */
export async function formStackEtcd(
  { parts, request, progress, signal, milestones }: Creation<DockerParts>,
  { nodes }: ClusterState,
  talosconfig: string,
  { isNew, patienceMs }: { readonly isNew: boolean; readonly patienceMs?: number },
): Promise<void> {
  if (!request.bootstrap) return;
  const config = parseTalosconfig(talosconfig);
  const endpoints = config.contexts.get(config.context)?.endpoints ?? [];
  const controlPlanes = nodes
    .filter(({ type }) => type === 'controlplane')
    .map(({ name, address }, index) => ({ name, address, endpoint: endpoints[index] ?? address }));
  await using probe = await parts.openEtcdProbe(talosconfig);
  await formEtcd({ controlPlanes, isNew, probe, progress, signal, patienceMs });
  milestones.votes = { count: controlPlanes.length, at: performance.now() };
}
