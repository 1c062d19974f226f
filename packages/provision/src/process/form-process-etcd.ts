import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nodePaths } from '@nodewright/contract';
import type { Creation } from '../cluster/creation.ts';
import { formEtcd } from '../cluster/form-etcd.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { etcdVariable } from '../domain/daemon-environment.ts';
import type { ProcessParts } from './process-parts.ts';

/**
 * Resolves when every control plane has a vote in etcd, which is bootstrapped where no node has data of it. Clusters
 * without etcd, and those whose maker wants to do it himself, are left alone.
 */
export async function formProcessEtcd(
  { folder, parts, request, progress, signal, milestones }: Creation<ProcessParts>,
  { nodes }: ClusterState,
  talosconfig: string,
  patienceMs?: number,
): Promise<void> {
  if (parts.programs.etcd === undefined) {
    // Who wants none need not be told.
    if (parts.environment[etcdVariable] === 'none') return;
    progress.note('control planes have no etcd: get it with make etcd, then start the cluster again');
    return;
  }
  if (!request.bootstrap) return;
  const controlPlanes = nodes
    .filter(({ type }) => type === 'controlplane')
    .map(({ name, address }) => ({ name, address, endpoint: address }));
  await using probe = await parts.openEtcdProbe(talosconfig);
  const isNew = !controlPlanes.some(({ name }) => hasData(join(folder.nodeRoot(name), nodePaths.etcdData)));
  await formEtcd({ controlPlanes, isNew, probe, progress, signal, patienceMs });
  milestones.votes = { count: controlPlanes.length, at: performance.now() };
}

function hasData(path: string): boolean {
  try {
    return readdirSync(path).length > 0;
  } catch {
    return false;
  }
}
