import type { Cluster, ClusterShape } from './cluster.ts';
import { openDockerCluster } from './docker/docker-cluster.ts';
import { openNodeImageCluster } from './docker/node-image-cluster.ts';
import { openProcessCluster } from './process/process-cluster.ts';

export interface OpenClusterInit {
  /** Added to the environment of the command line and of all daemons. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Further arguments for `cluster create`. */
  readonly flags?: readonly string[];
}

/** Creates a cluster with the provisioner that `TEST_PROVISIONER` names, `process` by default. */
export function openCluster(shape: ClusterShape, init: OpenClusterInit = {}): Promise<Cluster> {
  const provisioner = process.env.TEST_PROVISIONER ?? 'process';
  if (provisioner === 'process') return openProcessCluster(shape, init);
  if (provisioner === 'docker') return openDockerCluster(shape, init);
  if (provisioner === 'node-image') return openNodeImageCluster(shape, init);
  throw new Error(`TEST_PROVISIONER "${provisioner}" is not built yet`);
}
