import { setTimeout as sleep } from 'node:timers/promises';
import type { TalosClient } from '@nodewright/client';
import type { ChaosTarget } from './chaos-target.ts';
import type { PlannedFault } from './planned-fault.ts';

const pollMs = 250;
const callTimeoutMs = 3000;
/** How long anything may take to be well again before it counts as dead. */
const patienceMs = 180_000;

/** What became of a fault. */
export interface Outcome {
  readonly fault: PlannedFault;
  /** `missed`: nothing ran that could be killed. `again`: the same node was hit before it was well. */
  readonly result: 'back' | 'again' | 'missed' | 'dead';
  /** From the kill until it ran again, in ms. */
  readonly startedMs?: number;
  /** From the kill until the node said that it was well, in ms. */
  readonly healthyMs?: number;
  /** From the kill until nobody looked any more, in ms; for `again` and `dead`. */
  readonly watchedMs?: number;
}

/** Kills, and waits until the victim runs and is well, or until `struckAgain` aborts. */
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
  let startedMs: number | undefined;
  while (!struckAgain.aborted && since() < patienceMs) {
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

/** Whether the node says that the victim, or with machined everything, runs and is healthy. */
async function isWell(
  { cluster }: ChaosTarget,
  client: TalosClient,
  { node, victim }: PlannedFault,
): Promise<boolean> {
  const found = cluster.nodes.find(({ name }) => name === node);
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
