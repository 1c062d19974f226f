import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { type Detached, startDetached } from '../cluster/start-detached.ts';
import { daemonEnvironment } from '../domain/daemon-environment.ts';
import type { DockerParts } from './docker-parts.ts';

/**
 * Starts the cluster's keeper and waits until it has read the state of all containers. Until it is released,
 * it ends when this process ends.
 */
export function startKeeper(
  folder: ClusterFolder,
  { nodeBinary, keeper, environment }: DockerParts,
  signal: AbortSignal,
): Promise<Detached> {
  return startDetached({
    folder,
    nodeBinary,
    program: keeper,
    args: ['--folder', folder.path],
    // The keeper reads from the cluster's state which engine to use.
    environment: daemonEnvironment(environment),
    signal,
  });
}
