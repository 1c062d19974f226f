// The upgrade of this node as one plan, from the check of etcd to the end of the cordon.
import { randomBytes } from 'node:crypto';
import { systemTimers } from '@nodewright/async';
import type { EtcdClient } from '@nodewright/etcd';
import { faultFrom } from '@nodewright/fault';
import { writeFileAtomically } from '@nodewright/files';
import { type ServiceState, unknownHealth } from '@nodewright/services/domain';
import type { State } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import { readIfThere } from '../base/host/read-if-there.ts';
import type { NodeEvent } from '../life/domain/node-event.ts';
import { upgradePlanController } from './controllers/upgrade-plan.ts';
import { NodePlans, type NodePlansInit, type StepReport } from './host/node-plans.ts';
import { createNodeTurns } from './host/node-turn.ts';
import { PlanHolder } from './host/plan-holder.ts';
import type { UpgradePlanTopic } from './upgrade-plan-topic.ts';

export interface OpenUpgradePlanInit
  extends Pick<NodePlansInit, 'upgrades' | 'isMember' | 'assertMayUpgrade' | 'drain'> {
  /** Connects to etcd of the cluster. */
  readonly openEtcd: () => Promise<EtcdClient>;
  readonly hostname: () => string;
  /** The record. */
  readonly path: string;
  /** Resolves when the record can be read. */
  readonly isReadable: (signal: AbortSignal) => Promise<void>;
  readonly events: { publish(event: NodeEvent, actorId?: string): void };
  readonly state: State;
  readonly log: Logger;
  /** Aborts when the node stops. */
  readonly signal: AbortSignal;
}

/** The name under which the events of the steps are published: they have the form of events of a service. */
const eventName = 'upgrade';
const eventStates = {
  running: 'Running',
  waiting: 'Waiting',
  finished: 'Finished',
  failed: 'Failed',
} as const satisfies Record<StepReport['state'], ServiceState>;

export function openUpgradePlan(init: OpenUpgradePlanInit): UpgradePlanTopic {
  const { upgrades, state, log, signal, events, path, openEtcd, hostname } = init;
  const timers = systemTimers;
  const holder = new PlanHolder();
  const plans = new NodePlans({
    ...{ upgrades, holder, state, timers, log },
    isMember: init.isMember,
    assertMayUpgrade: init.assertMayUpgrade,
    drain: init.drain,
    turns: createNodeTurns({ openEtcd, hostname, timers }),
    file: {
      read: async () => readIfThere(path)?.toString('utf8'),
      write: (text) => writeFileAtomically(path, text),
    },
    report({ step, state: now, reason, actorId }) {
      const message = reason === '' ? step : `${step}: ${reason}`;
      const entry = { state: eventStates[now], message, atMs: timers.now() };
      events.publish({ kind: 'service', service: eventName, entry, health: unknownHealth }, actorId);
      log.info({ step, state: now, reason }, 'step of the upgrade');
    },
    randomId: () => randomBytes(16).toString('hex'),
  });
  return {
    plans,
    current: () => holder.current(),
    controllers: [upgradePlanController(holder)],
    api: {},
    begin(sequences, takeNode) {
      plans.setSequences(sequences);
      const resume = async () => {
        await init.isReadable(signal);
        await plans.resume(takeNode, signal);
      };
      resume().catch((error: unknown) => {
        if (!signal.aborted) log.error({ error: faultFrom(error).message }, 'the upgrade does not go on');
      });
    },
  };
}
