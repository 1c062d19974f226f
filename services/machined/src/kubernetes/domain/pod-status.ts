import type { JsonObject } from '@nodewright/state';
import type { ServiceSpec } from '@nodewright/state/kinds';

/**
 * The status of a pod that runs as a process of the node, from its service. Source: Kubernetes: PodStatus (v1).
 *
 * @param service `undefined` while it does not run
 */
export function processPodStatus(
  pod: JsonObject,
  service: ServiceSpec | undefined,
  address: string,
): JsonObject {
  const isRunning = service?.running ?? false;
  const isReady = isRunning && service?.healthy === true;
  const [container] =
    (pod.spec as { readonly containers?: readonly JsonObject[] } | undefined)?.containers ?? [];
  return {
    phase: isRunning ? 'Running' : 'Pending',
    hostIP: address,
    podIP: address,
    conditions: [
      condition('PodScheduled', true),
      condition('Initialized', true),
      condition('ContainersReady', isReady),
      condition('Ready', isReady),
    ],
    containerStatuses: [
      { name: container?.name ?? '', image: container?.image ?? '', ready: isReady, started: isRunning },
    ],
  };
}

/** The status of a pod that this node cannot run. */
export const unsupportedPodStatus: JsonObject = {
  phase: 'Pending',
  reason: 'NoContainerRuntime',
  message: 'this node runs no kubelet and no containers, only the control plane as processes',
  conditions: [condition('Ready', false)],
};

function condition(type: string, isMet: boolean): JsonObject {
  return { type, status: isMet ? 'True' : 'False' };
}
