import { planRestart, type RestartHistory } from '../../packages/provision/src/domain/plan-restart.ts';
import type { Outcome } from './await-recovery.ts';

/** The pause of machined before it starts a service again, in ms. Source: Talos v1.14: restart wrapper. */
const servicePauseMs = 5000;
/** What starting itself may take on a machine with two processors that runs the whole cluster. */
const startMs = 10_000;

/**
 * How long each kill may be followed by nothing, in ms, by its place in the list: the pause that whoever starts it again
 * makes, which for nodes that die young grows, and the start.
 */
export function restartLimits(outcomes: readonly Outcome[]): number[] {
  const histories = new Map<string, { history: RestartHistory; startedMs: number }>();
  return outcomes.map(({ fault: { node, victim, atMs }, result }) => {
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
