import { type KubePod, podName } from './kube-node.ts';

/** What is known of a pod that has to leave, by its uid. */
export interface LeavingPod {
  /** When its eviction was accepted, Unix ms. */
  readonly evictedMs?: number;
  /** When to try again, Unix ms, and why. */
  readonly retryMs?: number;
  readonly reason?: string;
}

/** What to do next with the pods of a node. All lists empty: the node is drained. */
export interface DrainStep {
  readonly evict: readonly KubePod[];
  /** Pods that end, or whose eviction is tried again later. */
  readonly waiting: readonly KubePod[];
}

/** The kubelet shows its static pods so. Source: Kubernetes: well-known annotations. */
const mirrorAnnotation = 'kubernetes.io/config.mirror';

/**
 * Whether a drain ends the pod. Static pods cannot be evicted, the controller of a DaemonSet would create its pods again at once, and
 * a pod without a controller would be lost, unless it has finished. Source: Talos v1.14: drain, pods that stay.
 */
export function mustLeave({ metadata, status }: KubePod): boolean {
  if (metadata?.annotations?.[mirrorAnnotation] !== undefined) return false;
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
  const controller = metadata?.ownerReferences?.find((owner) => owner.controller === true);
  return controller !== undefined && controller.kind !== 'DaemonSet';
}

/** Decides from the pods that a node has now and what was done before. */
export function planDrain(
  pods: readonly KubePod[],
  before: ReadonlyMap<string, LeavingPod>,
  nowMs: number,
): DrainStep {
  const step = { evict: [] as KubePod[], waiting: [] as KubePod[] };
  for (const pod of pods.filter(mustLeave)) {
    const { evictedMs, retryMs = 0 } = before.get(pod.metadata?.uid ?? '') ?? {};
    const isWaitedFor = evictedMs !== undefined || retryMs > nowMs;
    step[isWaitedFor ? 'waiting' : 'evict'].push(pod);
  }
  return step;
}

const namedPods = 5;

/** The pods that are left, each with the reason, as one text of limited length. */
export function leftText(pods: readonly KubePod[], known: ReadonlyMap<string, LeavingPod>): string {
  const names = pods.slice(0, namedPods).map((pod) => {
    const reason = known.get(pod.metadata?.uid ?? '')?.reason ?? 'it does not end';
    return `${podName(pod)} (${reason})`;
  });
  const more = pods.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
