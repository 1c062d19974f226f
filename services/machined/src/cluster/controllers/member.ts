import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { affiliates, members } from '@nodewright/state/kinds';
import { membersOf } from '../domain/affiliates.ts';

/** The nodes of the cluster. What this node says of itself comes before what others say under its name. */
export function memberController(): Controller {
  return {
    name: 'cluster.MemberController',
    inputs: [weak(affiliates)],
    outputs: [exclusive(members)],
    async reconcile(pass) {
      const all = (await pass.list(affiliates)).filter(({ metadata }) => metadata.phase === 'running');
      const isLocal = ({ metadata }: (typeof all)[number]) =>
        metadata.owner === 'cluster.LocalAffiliateController';
      // A worker takes no nodename of a control plane.
      const rank = (each: (typeof all)[number]) =>
        isLocal(each)
          ? 0
          : each.spec.machineType === 'controlplane' || each.spec.machineType === 'init'
            ? 1
            : 2;
      const ordered = all.toSorted((one, other) => rank(one) - rank(other));
      await pass.replace(members, membersOf(ordered.map(({ spec }) => spec)));
    },
  };
}
