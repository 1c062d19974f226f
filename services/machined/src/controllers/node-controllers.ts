import { dirname, join } from 'node:path';
import { ports } from '@nodewright/contract';
import type { Controller } from '@nodewright/controllers';
import type { Telemetry } from '@nodewright/telemetry';
import { listenAddressOf, type NodeFacts } from '../domain/node-facts.ts';
import { createFollowPlan } from '../host/membership/follow-plan.ts';
import { linkTiming } from '../host/membership/link-timing.ts';
import type { NodeRegistry } from '../host/membership/node-registry.ts';
import { openEtcdRecords } from '../host/membership/open-etcd-records.ts';
import type { MembershipSource } from '../host/membership-file.ts';
import type { NodeLayout } from '../node-layout.ts';
import { clusterControllers } from './cluster/cluster-controllers.ts';
import { secretsControllers } from './secrets/secrets-controllers.ts';

export interface NodeControllersInit {
  readonly node: NodeFacts;
  readonly layout: NodeLayout;
  /** What whoever made the cluster tells of its nodes. */
  readonly membership: MembershipSource;
  /** What the nodes tell of themselves. */
  readonly registry: NodeRegistry;
  readonly telemetry: Telemetry;
}

/** Every controller of a node but those of its configuration, with the hands that they have on this host. */
export function nodeControllers(init: NodeControllersInit): Controller[] {
  const { node, layout, membership, telemetry } = init;
  const { registry } = init;
  const { mode, hostname, addresses } = node;
  return [
    ...clusterControllers({
      ...{ seed: membership, registry },
      follow: createFollowPlan({
        ...{ registry, timing: linkTiming, random: Math.random, telemetry },
        openStore: (plan, log, signal) => openEtcdRecords(plan, { log, telemetry, signal }),
      }),
      seedGraceMs: linkTiming.leaseSeconds * 1000,
      own: { hostname, addresses },
      identityFile: join(dirname(layout.paths.machineConfig), 'node-identity.yaml'),
    }),
    ...secretsControllers({
      apidListenAddress: listenAddressOf(node, ports.apid),
      random: Math.random,
      telemetry,
      // The kernel gives this one to every connection within the host, whatever address the node has of its own.
      etcdPeerSources: mode === 'process' ? ['127.0.0.1'] : [],
    }),
  ];
}
