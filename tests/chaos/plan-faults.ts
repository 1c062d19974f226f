import { SeededRandom } from '../fuzz/seeded-random.ts';
import type { PlannedFault, Victim } from './planned-fault.ts';

export interface FaultPlanInit {
  readonly seed: number;
  readonly durationMs: number;
  readonly nodes: readonly { readonly name: string; readonly type: 'controlplane' | 'worker' }[];
  /** Default: those of nodes without Kubernetes. */
  readonly victims?: VictimsByType;
}

const firstAtMs = 2000;
const leastPauseMs = 3000;
const longestPauseMs = 12_000;

/** What is killed on a node of each type. What is named twice is killed twice as often. */
export type VictimsByType = Readonly<Record<'controlplane' | 'worker', readonly Victim[]>>;

const plainVictims: VictimsByType = {
  controlplane: ['machined', 'apid', 'trustd', 'registryd', 'etcd', 'etcd', 'node'],
  worker: ['machined', 'apid', 'registryd', 'node'],
};

/** Of nodes that are one container each, whose machined is the node. */
export const kubeletVictims: VictimsByType = {
  controlplane: ['apid', 'trustd', 'registryd', 'etcd', 'etcd', 'kubelet', 'kube-apiserver', 'node'],
  worker: ['apid', 'registryd', 'kubelet', 'node'],
};

/**
 * The same schedule for the same seed, duration and nodes. A fault may come before the victim of the previous
 * one has recovered.
 */
export function planFaults({
  seed,
  durationMs,
  nodes,
  victims = plainVictims,
}: FaultPlanInit): PlannedFault[] {
  const random = new SeededRandom(seed);
  const faults: PlannedFault[] = [];
  let atMs = firstAtMs;
  while (atMs < durationMs) {
    const { name, type } = random.pick(nodes);
    faults.push({ atMs, node: name, victim: random.pick<Victim>(victims[type]) });
    atMs += leastPauseMs + random.below(longestPauseMs - leastPauseMs);
  }
  return faults;
}
