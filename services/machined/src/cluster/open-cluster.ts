import { dirname, join } from 'node:path';
import { MembershipServiceDefinition } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import type { RpcService } from '@nodewright/rpc';
import { pointerTo, type State } from '@nodewright/state';
import { kubernetesSecrets, type MemberSpec, members } from '@nodewright/state/kinds';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { NodeFacts } from '../base/domain/node-facts.ts';
import type { NodeLayout } from '../base/node-layout.ts';
import type { NodeView } from '../base/resources/node-view.ts';
import { specOf } from '../base/resources/spec-of.ts';
import type { Topic } from '../base/topic.ts';
import { clusterControllers } from './controllers/cluster-controllers.ts';
import { machineTypeName } from './domain/machine-type-message.ts';
import { createFollowPlan } from './host/follow-plan.ts';
import { linkTiming } from './host/link-timing.ts';
import { openMembershipFile } from './host/membership-file.ts';
import { NodeRegistry } from './host/node-registry.ts';
import { openEtcdRecords } from './host/open-etcd-records.ts';
import { sendResetSignal } from './host/send-reset-signal.ts';
import { createClusterHealth } from './rpc/cluster-health.ts';
import { createMembershipService } from './rpc/membership.ts';

export interface OpenClusterInit {
  readonly node: NodeFacts;
  readonly layout: NodeLayout;
  readonly state: State;
  readonly view: NodeView;
  /** Whether this node has data of etcd. Rejects when that cannot be read. */
  readonly hasEtcdData: () => Promise<boolean>;
  /** Returns the current time in Unix ms. */
  readonly now: () => number;
  /** Aborts when the node stops, and ends the calls that wait. */
  readonly stopSignal: AbortSignal;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** A node as its record names it, whether it lives or not. */
export type ListedNode = Pick<MemberSpec, 'nodeId' | 'hostname' | 'machineType' | 'addresses'>;

export interface ClusterTopic extends Topic {
  /**
   * The service to which trustd passes the reports of workers, which cannot write to etcd. Served on the
   * socket of trustd only.
   */
  readonly membership: RpcService;
  /** The records in etcd, of control planes also while they are down; `undefined` until the first lists have arrived. */
  listed(): readonly ListedNode[] | undefined;
  /** Signals that the node is being reset, and waits a short time until the cluster does not list it any more. */
  sendResetSignal(signal: AbortSignal): Promise<void>;
}

/**
 * Opens the topic of cluster membership: the records of all nodes, and the health check of the cluster. It
 * ends with `scope`.
 */
export async function openCluster(init: OpenClusterInit, scope: AsyncDisposableStack): Promise<ClusterTopic> {
  const { node, layout, state, view, hasEtcdData, now, stopSignal, log, telemetry } = init;
  const { hostname, addresses } = node;
  const registry = new NodeRegistry();
  const seed = scope.use(await openMembershipFile(layout.paths.membership, log));
  return {
    controllers: clusterControllers({
      ...{ seed, registry, own: { hostname, addresses } },
      follow: createFollowPlan({
        ...{ registry, timing: linkTiming, random: Math.random, telemetry },
        openStore: (plan, planLog, signal) => openEtcdRecords(plan, { log: planLog, telemetry, signal }),
      }),
      seedGraceMs: linkTiming.leaseSeconds * 1000,
      identityFile: join(dirname(layout.paths.machineConfig), 'node-identity.yaml'),
    }),
    api: {
      'cluster.ClusterService': createClusterHealth({
        members: async () => (await state.list(members)).map(({ spec }) => spec),
        kubeconfig: async () => (await specOf(state, pointerTo(kubernetesSecrets)))?.localhostAdminKubeconfig,
        ...{ view, now, telemetry, stopSignal },
      }),
    },
    membership: {
      definition: MembershipServiceDefinition,
      implementation: createMembershipService({ registry, timing: linkTiming, hasEtcdData, stopSignal }),
    },
    listed() {
      const { nodes, controlPlanes } = registry.listed() ?? {};
      if (nodes === undefined || controlPlanes === undefined) return undefined;
      return [...nodes, ...controlPlanes.map(({ record }) => record)].map((record) => ({
        ...{ nodeId: record.nodeId, hostname: record.hostname, addresses: record.addresses },
        machineType: machineTypeName(record.machineType),
      }));
    },
    sendResetSignal: (signal) => sendResetSignal({ state, registry }, signal),
  };
}
