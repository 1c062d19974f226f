import type { AttackBench } from './attack-bench.ts';

/** What an attack on a machine did, and what did not hold. */
export interface NetworkOutcome {
  /** What was sent or changed, by name. */
  readonly counts: Readonly<Record<string, number>>;
  /** The expectations that did not hold; empty when all did. What holds for every attack is checked by the bench. */
  readonly problems: readonly string[];
}

/** An attempt of a neighbour, of a server or of a configuration to take the network from a machine. */
export interface NetworkAttack {
  readonly name: string;
  /** Describes the attack, for the table of figures. */
  readonly what: string;
  /** What the machine keeps to, with its figures. */
  readonly limit: string;
  /** What was taken away from the machine when this attack was seen to fail. */
  readonly seenToFail: string;
  /** How much more memory the machine may use, in MB; 96 by default. */
  readonly mostGrowthMb?: number;
  /** It has a network of its own, which ends after it. */
  run(bench: AttackBench): Promise<NetworkOutcome>;
}
