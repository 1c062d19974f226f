// The calls of the API that install, upgrade and roll back a machine. They are a topic of their own: they begin sequences of `life`,
// which asks the topic `upgrade` for the next kernel.
import { randomUUID } from 'node:crypto';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { isOnlyInStore } from '../upgrade/domain/artefact-name.ts';
import type { Upgrades } from '../upgrade/domain/upgrades.ts';
import type { PlanSequences, UpgradePlanTopic } from '../upgrade-plan/upgrade-plan-topic.ts';
import { UpgradeTurn } from './domain/upgrade-turn.ts';
import { createReceivedSet, noReceivedSet } from './host/received-set.ts';
import type { MachineUpgradeInit } from './rpc/machine-upgrade.ts';
import { UpgradeAccess } from './rpc/upgrade-access.ts';
import { createUpgradeApi } from './rpc/upgrade-api.ts';
import type { UpgradeCallsTopic } from './upgrade-calls-topic.ts';

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

export function openUpgradeCalls({
  artefacts,
  plan,
  takesExtensions,
  ...init
}: OpenUpgradeCallsInit): UpgradeCallsTopic {
  const turn = new UpgradeTurn();
  let rolloutProblem: (signal: AbortSignal) => Promise<string | undefined> = async () => undefined;
  const access = new UpgradeAccess({ ...init, turn, rolloutProblem: (signal) => rolloutProblem(signal) });
  plan?.begin(init.sequences, () => access.take('installed'));
  const pull = async (image: string, signal: AbortSignal) => {
    if (artefacts !== undefined) return artefacts.ensure(image, signal);
    throw new Fault('failed-precondition', 'this node has no store of artefacts');
  };
  const { cannotEnd } = init;
  return {
    controllers: [],
    api: createUpgradeApi({
      ...{ ...init, access, plans: plan?.plans, pull },
      received: takesExtensions ? createReceivedSet() : noReceivedSet,
    }),
    own: {
      get refusal() {
        if (cannotEnd !== undefined || plan !== undefined) return cannotEnd;
        return `this node is ${init.description}, and is not upgraded by calls`;
      },
      pull,
      async begin(wanted, signal) {
        if (plan === undefined) throw new Fault('failed-precondition', 'this node is not upgraded by calls');
        using waiting = new DisposableStack();
        const taken = waiting.use(access.take('installed'));
        const { over } = await plan.plans.begin(
          { ...wanted, ignoresEtcd: false, restart: 'graceful', actorId: randomUUID() },
          signal,
        );
        waiting.move();
        void over.finally(() => taken[Symbol.dispose]());
      },
    },
    async lacks(image, signal) {
      if (!isOnlyInStore(image)) return undefined;
      try {
        // It is there, or the store says at once that it is not: no registry is asked.
        await pull(image, signal);
        return undefined;
      } catch (error) {
        signal.throwIfAborted();
        return faultFrom(error).message;
      }
    },
    isUpgrading: () => turn.isTaken,
    setRolloutProblem(ask) {
      rolloutProblem = ask;
    },
  };
}
