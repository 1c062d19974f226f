import type { JsonObject } from '@nodewright/state';
import type { ServiceSpec } from '@nodewright/state/kinds';

/** Why a component does not run as its configuration says. */
export interface PodProblem {
  /** `waits`: the earlier one still runs. `failed`: the new one did not become ready. */
  readonly kind: 'waits' | 'failed';
  readonly reason: string;
}

/**
 * The status of a pod that runs as a process of the node, from its service. Source: Kubernetes: PodStatus (v1).
 *
 * @param service `undefined` while it does not run
 * @param problem why the pod is not replaced yet, or why its replacement failed
 */
export function processPodStatus(
  pod: JsonObject,
  service: ServiceSpec | undefined,
  address: string,
  problem?: PodProblem,
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
      // A component that became ready in the end has no problem any more.
      condition('Ready', isReady, isReady || problem?.kind !== 'failed' ? undefined : explained(problem)),
      ...(problem?.kind === 'waits' ? [condition(upToDate, false, explained(problem))] : []),
    ],
    containerStatuses: [
      { name: container?.name ?? '', image: container?.image ?? '', ready: isReady, started: isRunning },
    ],
  };
}

/** The status that a kubelet reports of a pod, with why it is not replaced yet, or why its replacement failed. */
export function withProblem(status: JsonObject, problem: PodProblem | undefined): JsonObject {
  if (problem === undefined) return status;
  const all = (Array.isArray(status.conditions) ? status.conditions : []) as readonly JsonObject[];
  const isReady = all.some((one) => one.type === 'Ready' && one.status === 'True');
  if (problem.kind === 'waits')
    return { ...status, conditions: [...all, condition(upToDate, false, explained(problem))] };
  // One that became ready in the end has no problem any more.
  if (isReady) return status;
  const others = all.filter(({ type }) => type !== 'Ready');
  return { ...status, conditions: [...others, condition('Ready', false, explained(problem))] };
}

/** The status of a pod that this node cannot run. */
export const unsupportedPodStatus: JsonObject = {
  phase: 'Pending',
  reason: 'NoContainerRuntime',
  message: 'this node runs no kubelet and no containers, only the control plane as processes',
  conditions: [condition('Ready', false)],
};

/** A condition of our own: the pod runs with the settings of the configuration. */
const upToDate = 'nodewright.dev/UpToDate';

const reasons = { waits: 'WaitsForOthers', failed: 'ReplacementFailed' } as const;

const explained = ({ kind, reason }: PodProblem): JsonObject => ({ reason: reasons[kind], message: reason });

function condition(type: string, isMet: boolean, why?: JsonObject): JsonObject {
  return { type, status: isMet ? 'True' : 'False', ...why };
}
