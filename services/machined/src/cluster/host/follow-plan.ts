import { Secret } from '@nodewright/fault';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { NodeRecordStore } from '../domain/node-record-store.ts';
import type { LinkPlan } from '../domain/plan-link.ts';
import { followEtcd } from './etcd-link.ts';
import type { LinkTiming } from './link-timing.ts';
import type { NodeRegistry } from './node-registry.ts';
import type { FollowPlan } from './running-link.ts';
import { followTrustd } from './trustd-link.ts';

/** How a control plane connects to the records of its cluster. */
export type EtcdPlan = Extract<LinkPlan, { kind: 'etcd' }>;

export interface FollowPlanInit {
  readonly registry: NodeRegistry;
  readonly timing: LinkTiming;
  /** Opens the records of the cluster; rejects while etcd cannot be reached. */
  readonly openStore: (plan: EtcdPlan, log: Logger, signal: AbortSignal) => Promise<NodeRecordStore>;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
  readonly telemetry: Telemetry;
}

/** Creates the function that connects a node as planned. */
export function createFollowPlan({ openStore, ...init }: FollowPlanInit): FollowPlan {
  return async (plan, log, signal) => {
    switch (plan.kind) {
      case 'none':
        return;
      case 'etcd':
        return followEtcd({ ...init, log, openStore: (stop) => openStore(plan, log, stop) }, signal);
      case 'trustd':
        return followTrustd({ ...init, ...plan, log, token: new Secret(plan.token) }, signal);
    }
  };
}
