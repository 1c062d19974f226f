import type { FloodCounts } from '../measure/child-messages.ts';
import type { AttackTarget } from '../target/attack-target.ts';

/** An attack of bounded size, run by one process while another client uses the cluster. */
export interface Flood {
  readonly name: string;
  /** Describes the attack, for the table of figures. */
  readonly what: string;
  /** What was taken away from a node when this attack was seen to fail. */
  readonly seenToFail?: string;
  /** Resolves when it has sent its bounded number of requests, or when the signal aborts. */
  run(target: AttackTarget, signal: AbortSignal): Promise<FloodCounts>;
  /**
   * Checks the counts of one run, in addition to the latency of the other client. Returns the problems, none
   * when all is well.
   */
  judge?(counts: FloodCounts, durationMs: number): readonly string[];
}
