import type { Controller } from '@nodewright/controllers';
import type { GivenNode } from '../../domain/affiliates.ts';
import type { MembershipSource } from '../../host/membership-file.ts';
import { openNodeIdentity } from '../../host/node-identity-file.ts';
import { affiliateMergeController } from './affiliate-merge.ts';
import { clusterConfigController, clusterInfoController } from './discovery-config.ts';
import { endpointController } from './endpoint.ts';
import { localAffiliateController } from './local-affiliate.ts';
import { memberController } from './member.ts';
import { membershipController } from './membership.ts';
import { nodeIdentityController } from './node-identity.ts';

export interface ClusterControllersInit {
  readonly membership: MembershipSource;
  /** As whom the membership knows this node. */
  readonly own: GivenNode;
  /** Where the id of this node is kept: `node-identity.yaml` in its STATE folder. */
  readonly identityFile: string;
}

/** Source: Talos v1.14: COSI resources, cluster. */
export function clusterControllers({ membership, own, identityFile }: ClusterControllersInit): Controller[] {
  return [
    nodeIdentityController(() => openNodeIdentity(identityFile)),
    clusterConfigController(),
    clusterInfoController(),
    membershipController(membership, own),
    localAffiliateController(),
    affiliateMergeController(),
    memberController(),
    endpointController(),
  ];
}
