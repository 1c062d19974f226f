import type { Topic } from '../base/topic.ts';
import type { PlanState } from './domain/show-plan.ts';
import type { NodePlans, PlanSequences } from './host/node-plans.ts';

export type { PlanState } from './domain/show-plan.ts';
export type { PlanSequences } from './host/node-plans.ts';

export interface UpgradePlanTopic extends Topic {
  readonly plans: Pick<NodePlans, 'begin' | 'beforeReboot'>;
  /** The upgrade of this node that runs, or was the last one. */
  current(): PlanState;
  /**
   * Goes on with the upgrade that the record shows, when the disk is mounted.
   *
   * @param takeNode keeps other upgrades of this node away until it is disposed of. @throws Fault while another one runs
   */
  begin(sequences: PlanSequences, takeNode: () => Disposable): void;
}
