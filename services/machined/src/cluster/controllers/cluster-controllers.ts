import type { Controller } from '@nodewright/controllers';
import type { GivenNode } from '../domain/affiliates.ts';
import type { MembershipSource } from '../host/membership-file.ts';
import { openNodeIdentity } from '../host/node-identity-file.ts';
import type { NodeRegistry } from '../host/node-registry.ts';
import type { FollowPlan } from '../host/running-link.ts';
import { affiliateMergeController } from './affiliate-merge.ts';
import { clusterConfigController, clusterInfoController } from './discovery-config.ts';
import { endpointController } from './endpoint.ts';
import { localAffiliateController } from './local-affiliate.ts';
import { memberController } from './member.ts';
import { membershipController } from './membership.ts';
import { membershipLinkController } from './membership-link.ts';
import { nodeIdentityController } from './node-identity.ts';
import { createStaticEndpointController } from './static-endpoint.ts';

export interface ClusterControllersInit {
  /** The nodes that the creator of the cluster wrote to `members.json`. */
  readonly seed: MembershipSource;
  /** The records that the nodes publish about themselves. */
  readonly registry: NodeRegistry;
  /** Connects this node to the cluster's records as planned. */
  readonly follow: FollowPlan;
  /** How long the nodes of the seed still count after the first list of records has arrived, in ms. */
  readonly seedGraceMs: number;
  /** This node as the seed names it. */
  readonly own: GivenNode;
  /** The file with the id of this node: `node-identity.yaml` in its STATE folder. */
  readonly identityFile: string;
}

/** Creates the controllers of the cluster membership. Source: Talos v1.14: COSI resources, cluster. */
export function clusterControllers({ identityFile, follow, ...init }: ClusterControllersInit): Controller[] {
  return [
    nodeIdentityController(() => openNodeIdentity(identityFile)),
    clusterConfigController(),
    clusterInfoController(),
    membershipController(init),
    membershipLinkController(init.registry, follow),
    localAffiliateController(),
    affiliateMergeController(),
    memberController(),
    endpointController(),
    createStaticEndpointController(),
  ];
}
