import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { type Detached, startDetached } from '../cluster/start-detached.ts';
import { daemonEnvironment } from '../domain/daemon-environment.ts';
import type { DockerParts } from './docker-parts.ts';

/** Starts the cluster's keeper and waits until it knows what runs. It ends with us until it is released. */
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
    // Which engine is meant stands in the cluster's state.
    environment: daemonEnvironment(environment),
    signal,
  });
}
