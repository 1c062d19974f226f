import type { Topic } from '../base/topic.ts';

export interface UpgradeCallsTopic extends Topic {
  /** Upgrades of this node that a roll-out asks for. */
  readonly own: OwnUpgrades;
  /** Why this node cannot have an image that only its own store could have; undefined for any other. @throws Fault when the signal aborts */
  lacks(image: string, signal: AbortSignal): Promise<string | undefined>;
  /** Whether a call, or a turn of a roll-out, upgrades this node, from before its pull until its plan is over. */
  isUpgrading(): boolean;
  /** Names what keeps upgrades of this node alone away: a roll-out is opened later. */
  setRolloutProblem(ask: (signal: AbortSignal) => Promise<string | undefined>): void;
}

export interface OwnUpgrades {
  /** Why no call upgrades this node; undefined when one may. */
  readonly refusal: string | undefined;
  /** As `MachineUpgradeInit.pull`. */
  pull(image: string, signal: AbortSignal): Promise<string>;
  /**
   * Begins the plan of this node, beside no other upgrade of it. It goes on by itself.
   *
   * @throws Fault as `NodePlans.begin()`, and while another upgrade runs
   */
  begin(wanted: OwnUpgrade, signal: AbortSignal): Promise<void>;
}

export interface OwnUpgrade {
  /** Of the plan: 32 hexadecimal digits. */
  readonly id: string;
  /** The artefact with its digest. */
  readonly image: string;
  readonly allowsDowngrade: boolean;
  readonly dropsExtensions: boolean;
}
