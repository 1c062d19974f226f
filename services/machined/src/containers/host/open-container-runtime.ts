import type { ContainerRuntime } from '@nodewright/containers';
import type { Telemetry } from '@nodewright/telemetry';

export interface OpenContainerRuntimeInit {
  readonly options: {
    readonly engineSocket?: string;
    readonly engineCluster?: string;
    readonly etcdImage?: string;
  };
  /** The node's hostname at its creation, from which the names of its containers are made. */
  readonly hostname: string;
  readonly telemetry: Telemetry;
}

/**
 * The configured container runtime, or undefined. It may be down, because no call is made yet. In the compose
 * stack it is the engine that runs the node itself; the labels of compose identify the node's container and
 * its project.
 */
export async function openContainerRuntime(
  init: OpenContainerRuntimeInit,
): Promise<ContainerRuntime | undefined> {
  const { engineSocket, engineCluster, etcdImage } = init.options;
  if (engineSocket === undefined || engineCluster === undefined) return undefined;
  // Loaded on demand, because few nodes have a runtime.
  const { openDockerRuntime } = await import('@nodewright/containers/docker');
  const project = { 'com.docker.compose.project': engineCluster };
  return openDockerRuntime({
    socketPath: engineSocket,
    scope: { cluster: engineCluster, node: init.hostname },
    node: { ...project, 'com.docker.compose.service': init.hostname, 'com.docker.compose.oneoff': 'False' },
    // These labels mark the containers that are removed with the cluster.
    inherited: ['nodewright.folder', 'talos.owned', 'talos.cluster.name'],
    given: etcdImage === undefined ? [] : [etcdImage],
    telemetry: init.telemetry,
  });
}
