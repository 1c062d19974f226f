import { type Controller, shared } from '@nodewright/controllers';
import { affiliates } from '@nodewright/state/kinds';
import { type GivenNode, membershipAffiliates } from '../../domain/affiliates.ts';
import type { MembershipSource } from '../../host/membership-file.ts';

/** What registries say of the nodes of the cluster. */
export const rawAffiliates = { ...affiliates, namespace: 'cluster-raw' } as const;

/**
 * A registry of affiliates: whoever made the cluster tells its nodes of each other. The name is ours.
 *
 * @param own as whom the membership knows this node, which tells of itself
 */
export function membershipController(membership: MembershipSource, own: GivenNode): Controller {
  return {
    name: 'cluster.MembershipController',
    inputs: [],
    outputs: [shared(affiliates)],
    open({ signal, wake }, scope) {
      const follow = async () => {
        while (!signal.aborted) {
          await membership.nextChange(signal);
          wake();
        }
      };
      const ended = follow();
      scope.defer(() => ended);
    },
    reconcile: (pass) => pass.replace(rawAffiliates, membershipAffiliates(membership.current(), own)),
  };
}
