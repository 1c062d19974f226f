import type { ContainerRuntime } from '@nodewright/containers';
import { loadNativeCalls } from '@nodewright/linux';
import { containerdCgroups, containerdPaths } from '@nodewright/node-files';
import type { State } from '@nodewright/state';
import type { Telemetry } from '@nodewright/telemetry';
import { imageCacheRoots } from '../../base/domain/image-cache-roots.ts';
import { followRegistryEndpoints } from '../../base/resources/registry-endpoints.ts';

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

/** As much as the log of a service keeps. */
const logBytes = 5 * 2 ** 20;

export interface OpenMachineRuntimeInit {
  readonly state: State;
  readonly telemetry: Telemetry;
}

/**
 * The runtime of a machine: the containerd that machined runs as the service `cri`. It connects at the first call. Upstream runs
 * a second containerd for its own services, from the start of the machine on; here one serves both namespaces, because the
 * services of this machine are no containers. So its calls need a configuration, also for the namespace `system`.
 *
 * @param scope ends the connection and the watch of the settings of registries
 */
export async function openMachineRuntime(
  { state, telemetry }: OpenMachineRuntimeInit,
  scope: AsyncDisposableStack,
): Promise<ContainerRuntime> {
  const endpointsOf = await followRegistryEndpoints(state, scope);
  // Loaded on demand: only machines run containerd.
  const [{ openContainerdRuntime }, { openImageCache, withImageCache }, { platformOfNode }, { forgetBytes }] =
    await Promise.all([
      import('@nodewright/containers/containerd'),
      import('@nodewright/containers/image-cache'),
      import('@nodewright/oci'),
      loadNativeCalls(),
    ]);
  // Not by registryd: etcd starts earlier so, and also when the configuration does not enable the image cache.
  const cache = openImageCache(imageCacheRoots, platformOfNode(process.arch));
  const runtime = scope.use(
    openContainerdRuntime({
      ...{ telemetry, endpointsOf, socketPath: containerdPaths.socket, logFolder: containerdPaths.logs },
      ...{ shimCgroup: `/${containerdCgroups.shims}`, boundLogs: { keepBytes: logBytes, forgetBytes } },
    }),
  );
  return withImageCache(runtime, cache);
}
