import type { Topic } from '../base/topic.ts';
import type { NodePlans, PlanSequences } from './host/node-plans.ts';

export type { PlanSequences } from './host/node-plans.ts';

export interface UpgradePlanTopic extends Topic {
  readonly plans: Pick<NodePlans, 'begin' | 'beforeReboot'>;
  /**
   * Goes on with the upgrade that the record shows, when the disk is mounted.
   *
   * @param takeNode keeps other upgrades of this node away until it is disposed of. @throws Fault while another one runs
   */
  begin(sequences: PlanSequences, takeNode: () => Disposable): void;
}
