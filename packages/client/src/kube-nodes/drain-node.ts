import { pauseBy, type Timers } from '@nodewright/async';
import { Fault, type FaultKind, faultFrom } from '@nodewright/fault';
import { type KubePod, podName } from './kube-node.ts';
import type { KubeNodes } from './kube-nodes.ts';
import { type LeavingPod, leftText, mustLeave, planDrain } from './plan-drain.ts';

export interface DrainInit {
  /** Name of the node in Kubernetes. It should be cordoned already, or its pods may come back. */
  readonly node: string;
  readonly nodes: Pick<KubeNodes, 'podsOn' | 'evict'>;
  /** For the whole drain; default 5 minutes. */
  readonly timeoutMs?: number;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** Called for each step, such as `evicted default/web-1`. */
  readonly report: (text: string) => void;
}

/** Source: Talos v1.14: drain, times. */
export const drainTimes = { totalMs: 300_000, refusedMs: 5_000, pollMs: 3_000 } as const;

/**
 * Ends the pods of a node by evictions, which respect PodDisruptionBudgets, and waits until they are gone. Each pod may take as long
 * as it says itself, until the drain times out: a database that needs minutes to write its data is not killed before. Pods that
 * stay on the node are left (`mustLeave()`).
 *
 * @throws Fault `deadline-exceeded` with the pods that are left and why, or why the API server did not answer; `permission-denied`
 * when the caller may not list the pods
 */
export async function drainNode(init: DrainInit): Promise<void> {
  const { node, nodes, timeoutMs = drainTimes.totalMs, timers, signal } = init;
  const endMs = timers.monotonicMs() + timeoutMs;
  const known = new Map<string, LeavingPod>();
  let left = 'no answer of the API server';
  for (;;) {
    const step = await attempt(async () => {
      const pods = await nodes.podsOn(node);
      left = leftText(pods.filter(mustLeave), known);
      const planned = planDrain(pods, known, timers.monotonicMs());
      for (const pod of planned.evict) {
        if (signal.aborted || timers.monotonicMs() >= endMs) break;
        known.set(pod.metadata?.uid ?? '', await evicted(init, pod));
      }
      return planned;
    });
    signal.throwIfAborted();
    if (step instanceof Fault) left = step.message;
    else if (step.evict.length === 0 && step.waiting.length === 0) return;
    if (timers.monotonicMs() >= endMs) {
      throw new Fault(
        'deadline-exceeded',
        `node ${node} is not drained after ${timeoutMs / 1000} s: ${left}`,
      );
    }
    await pauseBy(timers, Math.min(drainTimes.pollMs, endMs - timers.monotonicMs()), signal);
    signal.throwIfAborted();
  }
}

/** Failures after which the API server may answer again. */
const passing: readonly FaultKind[] = ['unavailable', 'deadline-exceeded', 'resource-exhausted', 'internal'];

/** The failure is returned when it may pass, and thrown otherwise. */
async function attempt<T>(action: () => Promise<T>): Promise<T | Fault> {
  try {
    return await action();
  } catch (error) {
    const fault = faultFrom(error);
    if (passing.includes(fault.kind)) return fault;
    throw error;
  }
}

/** One attempt. A failure that concerns this pod alone is tried again, like a budget that does not allow it now. */
async function evicted({ nodes, timers, report }: DrainInit, pod: KubePod): Promise<LeavingPod> {
  const nowMs = timers.monotonicMs();
  const again = (reason: string) => {
    report(`cannot evict ${podName(pod)} yet: ${reason}`);
    return { retryMs: nowMs + drainTimes.refusedMs, reason };
  };
  // It was deleted by somebody else, perhaps with a longer time to end.
  if (pod.metadata?.deletionTimestamp !== undefined) return { evictedMs: nowMs };
  try {
    const outcome = await nodes.evict(pod);
    if (outcome.kind === 'refused') return again(outcome.reason);
    report(`evicted ${podName(pod)}`);
    return { evictedMs: nowMs };
  } catch (error) {
    const fault = faultFrom(error);
    if (fault.kind === 'unavailable' || fault.kind === 'cancelled') throw error;
    return again(fault.message);
  }
}
