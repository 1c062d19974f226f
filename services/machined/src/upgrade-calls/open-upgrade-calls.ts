// The calls of the API that install, upgrade and roll back a machine. They are a topic of their own: they begin sequences of `life`,
// which asks the topic `upgrade` for the next kernel.
import { Fault } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import type { Topic } from '../base/topic.ts';
import type { Upgrades } from '../upgrade/domain/upgrades.ts';
import type { PlanSequences, UpgradePlanTopic } from '../upgrade-plan/upgrade-plan-topic.ts';
import { UpgradeTurn } from './domain/upgrade-turn.ts';
import { createReceivedSet, noReceivedSet } from './host/received-set.ts';
import type { MachineUpgradeInit } from './rpc/machine-upgrade.ts';
import { UpgradeAccess } from './rpc/upgrade-access.ts';
import { createUpgradeApi } from './rpc/upgrade-api.ts';

export interface OpenUpgradeCallsInit extends Pick<MachineUpgradeInit, 'cannotEnd' | 'assertMayUpgrade'> {
  readonly sequences: MachineUpgradeInit['sequences'] & PlanSequences;
  /** Undefined where `upgrades` is. */
  readonly plan: UpgradePlanTopic | undefined;
  /** Undefined on a node that is no machine with slots on its disk. */
  readonly upgrades: Upgrades | undefined;
  /** The store of artefacts; undefined on a node without one. */
  readonly artefacts: { ensure(image: string, signal: AbortSignal): Promise<string> } | undefined;
  /** Whether a system may have a set of extensions. */
  readonly takesExtensions: boolean;
  /** What the node is, after "this node is". */
  readonly description: string;
  readonly log: Logger;
}

export function openUpgradeCalls({ artefacts, plan, takesExtensions, ...init }: OpenUpgradeCallsInit): Topic {
  const turn = new UpgradeTurn();
  const access = new UpgradeAccess({ ...init, turn });
  plan?.begin(init.sequences, () => access.take('installed'));
  return {
    controllers: [],
    api: createUpgradeApi({
      ...{ ...init, turn, plans: plan?.plans },
      received: takesExtensions ? createReceivedSet() : noReceivedSet,
      async pull(image, signal) {
        if (artefacts !== undefined) return artefacts.ensure(image, signal);
        throw new Fault('failed-precondition', 'this node has no store of artefacts');
      },
    }),
  };
}
