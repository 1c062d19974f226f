import { setTimeout as sleep } from 'node:timers/promises';
import type { TalosClient } from '@nodewright/client';
import type { ChaosTarget } from './chaos-target.ts';
import type { PlannedFault } from './planned-fault.ts';

const pollMs = 250;
const callTimeoutMs = 3000;
/** How long a victim may take to recover before it counts as dead. An API server waits for its kubelet, at most 5 minutes. */
const patienceMs = 180_000;
const podPatienceMs = 360_000;

/** The result of a fault. */
export interface Outcome {
  readonly fault: PlannedFault;
  /**
   * `missed`: nothing was running that could be killed. `again`: the same node was hit again before it had
   * recovered.
   */
  readonly result: 'back' | 'again' | 'missed' | 'dead';
  /** Time from the kill until the victim ran again, in ms. */
  readonly startedMs?: number;
  /** Time from the kill until the node reported it healthy, in ms. */
  readonly healthyMs?: number;
  /** For `again` and `dead`: time from the kill until the observation ended, in ms. */
  readonly watchedMs?: number;
}

/** Kills the victim, and waits until it runs and is healthy, or until `struckAgain` aborts. */
export async function strike(
  target: ChaosTarget,
  client: TalosClient,
  fault: PlannedFault,
  struckAgain: AbortSignal,
): Promise<Outcome> {
  const { node, victim } = fault;
  const before = await target.instancesOf(node, victim);
  const killedAt = performance.now();
  if (!(await target.kill(node, victim))) return { fault, result: 'missed' };
  const since = () => performance.now() - killedAt;
  const endMs = victim === 'kube-apiserver' ? podPatienceMs : patienceMs;
  let startedMs: number | undefined;
  while (!struckAgain.aborted && since() < endMs) {
    const now = await target.instancesOf(node, victim);
    if (now.length > 0 && now.every((instance) => !before.includes(instance))) {
      startedMs ??= since();
      if (await isWell(target, client, fault))
        return { fault, result: 'back', startedMs, healthyMs: since() };
    }
    await sleep(pollMs, undefined, { signal: struckAgain }).catch(() => {});
  }
  const result = struckAgain.aborted ? 'again' : 'dead';
  return { fault, result, watchedMs: since(), ...(startedMs !== undefined && { startedMs }) };
}

/**
 * Whether the node reports the victim as running and healthy. For machined as victim, all services must be.
 */
async function isWell(
  target: ChaosTarget,
  client: TalosClient,
  { node, victim }: PlannedFault,
): Promise<boolean> {
  const known = await target.isWell?.(node, victim);
  if (known !== undefined) return known;
  const found = target.cluster.nodes.find(({ name }) => name === node);
  try {
    const { messages } = await client
      .node(found?.address ?? '')
      .machine.serviceList({}, { signal: AbortSignal.timeout(callTimeoutMs) });
    const services = messages[0]?.services ?? [];
    const concerned =
      victim === 'machined' || victim === 'node' ? services : services.filter(({ id }) => id === victim);
    return (
      concerned.length > 0 &&
      concerned.every(({ state, health }) => state === 'Running' && (health?.unknown || health?.healthy))
    );
  } catch {
    return false;
  }
}
