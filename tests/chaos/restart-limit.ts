import { planRestart, type RestartHistory } from '../../packages/provision/src/domain/plan-restart.ts';
import type { Outcome } from './await-recovery.ts';

/** The delay after which machined restarts a service, in ms. Source: Talos v1.14: restart wrapper. */
const servicePauseMs = 5000;
/** The longest pause of a kubelet before it starts a container again, in ms. Source: Kubernetes: pod lifecycle, restarts. */
const kubeletPauseMs = 300_000;
/** How long a start may take on a machine with two processors that runs the whole cluster. */
const startMs = 10_000;

/**
 * How long each victim may take to run again, in ms, in the order of the list. It is the restart delay of the
 * program that restarts the victim, which grows for nodes that exit soon after their start, plus the time for
 * the start.
 */
export function restartLimits(outcomes: readonly Outcome[]): number[] {
  const histories = new Map<string, { history: RestartHistory; startedMs: number }>();
  return outcomes.map(({ fault: { node, victim, atMs }, result }) => {
    if (victim === 'kube-apiserver') return kubeletPauseMs + startMs;
    if (victim !== 'machined' && victim !== 'node') return servicePauseMs + startMs;
    if (result === 'missed') return Number.POSITIVE_INFINITY;
    const { history, startedMs } = histories.get(node) ?? {
      history: { quickDeaths: 0 },
      startedMs: Number.NEGATIVE_INFINITY,
    };
    const plan = planRestart(history, atMs - startedMs);
    histories.set(node, { history: plan.history, startedMs: atMs + plan.delayMs });
    return plan.delayMs + startMs;
  });
}
