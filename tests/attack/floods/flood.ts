import type { FloodCounts } from '../measure/child-messages.ts';
import type { AttackTarget } from '../target/attack-target.ts';

/** An attack of bounded size that one process carries out while another client uses the cluster. */
export interface Flood {
  readonly name: string;
  /** What the attacker does, for the table of figures. */
  readonly what: string;
  /** Ends when it has sent its bounded number of requests, or when the signal aborts. */
  run(target: AttackTarget, signal: AbortSignal): Promise<FloodCounts>;
  /** What must hold of the counts of one run besides the calm of the others: problems, none when it held. */
  judge?(counts: FloodCounts, durationMs: number): readonly string[];
}
