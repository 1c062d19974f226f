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
  /** What whoever made the cluster tells of its nodes. */
  readonly seed: MembershipSource;
  /** What the nodes tell of themselves. */
  readonly registry: NodeRegistry;
  /** How this node takes part in that. */
  readonly follow: FollowPlan;
  /** For how long after the first list of the cluster nodes of the seed still count, in ms. */
  readonly seedGraceMs: number;
  /** As whom the seed knows this node. */
  readonly own: GivenNode;
  /** Where the id of this node is kept: `node-identity.yaml` in its STATE folder. */
  readonly identityFile: string;
}

/** Source: Talos v1.14: COSI resources, cluster. */
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
