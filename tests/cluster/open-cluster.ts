import type { Cluster, ClusterShape } from './cluster.ts';
import { openProcessCluster } from './process/process-cluster.ts';

/** A new cluster on the provisioner that `TEST_PROVISIONER` names, `process` by default. */
export function openCluster(shape: ClusterShape): Promise<Cluster> {
  const provisioner = process.env.TEST_PROVISIONER ?? 'process';
  if (provisioner !== 'process') throw new Error(`TEST_PROVISIONER "${provisioner}" is not built yet`);
  return openProcessCluster(shape);
}
