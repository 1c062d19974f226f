import type { ContainerRuntime } from '@nodewright/containers';
import type { Telemetry } from '@nodewright/telemetry';

export interface OpenContainerRuntimeInit {
  readonly options: {
    readonly engineSocket?: string;
    readonly engineCluster?: string;
    readonly etcdImage?: string;
  };
  /** The node's first name: what its containers are called after. */
  readonly hostname: string;
  readonly telemetry: Telemetry;
}

/**
 * The container runtime that the node was given, or undefined. It may be away: nothing is asked yet. In the compose stack
 * that is the engine which runs the node itself; compose's own labels tell which container the node is, and whose.
 */
export async function openContainerRuntime(
  init: OpenContainerRuntimeInit,
): Promise<ContainerRuntime | undefined> {
  const { engineSocket, engineCluster, etcdImage } = init.options;
  if (engineSocket === undefined || engineCluster === undefined) return undefined;
  // Few nodes have one: the others do without its code.
  const { openDockerRuntime } = await import('@nodewright/containers/docker');
  const project = { 'com.docker.compose.project': engineCluster };
  return openDockerRuntime({
    socketPath: engineSocket,
    scope: { cluster: engineCluster, node: init.hostname },
    node: { ...project, 'com.docker.compose.service': init.hostname, 'com.docker.compose.oneoff': 'False' },
    // By these whoever made the cluster finds what belongs to it.
    inherited: ['nodewright.folder', 'talos.owned', 'talos.cluster.name'],
    given: etcdImage === undefined ? [] : [etcdImage],
    telemetry: init.telemetry,
  });
}
