import { SeededRandom } from '../fuzz/seeded-random.ts';
import type { PlannedFault, Victim } from './planned-fault.ts';

export interface FaultPlanInit {
  readonly seed: number;
  readonly durationMs: number;
  readonly nodes: readonly { readonly name: string; readonly type: 'controlplane' | 'worker' }[];
}

const firstAtMs = 2000;
const leastPauseMs = 3000;
const longestPauseMs = 12_000;

const victimsOf = {
  controlplane: ['machined', 'apid', 'trustd', 'registryd', 'etcd', 'etcd', 'node'],
  worker: ['machined', 'apid', 'registryd', 'node'],
} as const satisfies Record<string, readonly Victim[]>;

/**
 * The same schedule for the same seed, duration and nodes. A fault may come before the victim of the previous
 * one has recovered.
 */
export function planFaults({ seed, durationMs, nodes }: FaultPlanInit): PlannedFault[] {
  const random = new SeededRandom(seed);
  const faults: PlannedFault[] = [];
  let atMs = firstAtMs;
  while (atMs < durationMs) {
    const { name, type } = random.pick(nodes);
    faults.push({ atMs, node: name, victim: random.pick<Victim>(victimsOf[type]) });
    atMs += leastPauseMs + random.below(longestPauseMs - leastPauseMs);
  }
  return faults;
}
