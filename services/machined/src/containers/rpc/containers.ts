import type { ContainerInfo, ContainerRuntime, RuntimeNamespace } from '@nodewright/containers';
import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import {
  type ContainerSelection,
  containerNames,
  isOfKubernetes,
  requireContainer,
  selectNamespace,
} from '../domain/container-selection.ts';
import { requireRuntime } from './require-runtime.ts';

/**
 * Implements Containers, Stats and Restart for the containers of the node, including daemons that run as
 * containers.
 *
 * @param hasKubelet whether a kubelet runs pods on this node
 */
export function createContainers(
  runtime: ContainerRuntime | undefined,
  hasKubelet: boolean,
): Pick<MachineServiceImplementation, 'containers' | 'stats' | 'restart'> {
  const select = (selection: ContainerSelection): RuntimeNamespace => {
    // A node without a runtime reports that error even when a call selects the CRI.
    const there = requireRuntime(runtime);
    return there.namespace(selectNamespace(selection, hasKubelet));
  };
  return {
    async containers(request, { signal }) {
      if (!hasKubelet && isOfKubernetes(request)) return { messages: [{ containers: [] }] };
      const { name: namespace, containers } = select(request);
      const found = await containers.list({ signal });
      return {
        messages: [
          {
            containers: found
              .filter(({ task }) => task !== undefined)
              .map((info) => ({
                ...containerNames(info),
                namespace,
                image: info.image,
                pid: info.task !== undefined && 'pid' in info.task ? info.task.pid : 0,
                status: info.task?.status.toUpperCase(),
                internalId: info.internalId,
              })),
          },
        ],
      };
    },
    async stats(request, { signal }) {
      if (!hasKubelet && isOfKubernetes(request)) return { messages: [{ stats: [] }] };
      const { name: namespace, containers } = select(request);
      const found = (await containers.list({ signal })).filter(({ task }) => task?.status === 'running');
      const stats = await Promise.all(found.map((info) => statOf(containers, namespace, info, signal)));
      return { messages: [{ stats: stats.filter((stat) => stat !== undefined) }] };
    },
    async restart(request, { signal }) {
      const { containers } = select(request);
      const { id } = requireContainer(await containers.list({ signal }), request.id);
      // Its engine or its service starts it again.
      await containers.kill(id, 'SIGTERM', { signal });
      return { messages: [{}] };
    },
  };
}

/** The statistics of a container; `undefined` when it exits during the call. */
async function statOf(
  containers: RuntimeNamespace['containers'],
  namespace: string,
  info: ContainerInfo,
  signal: AbortSignal,
) {
  try {
    const { memoryBytes, cpuNanoseconds } = await containers.stats(info.id, { signal });
    return {
      ...containerNames(info),
      namespace,
      memoryUsage: BigInt(Math.round(memoryBytes)),
      cpuUsage: cpuNanoseconds,
    };
  } catch (error) {
    if (error instanceof Fault && (error.kind === 'not-found' || error.kind === 'failed-precondition'))
      return undefined;
    throw error;
  }
}
