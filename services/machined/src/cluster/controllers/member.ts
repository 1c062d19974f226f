import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { affiliates, members } from '@nodewright/state/kinds';
import { membersOf } from '../domain/affiliates.ts';

/** Writes the members of the cluster. If two affiliates have the same nodename, this node comes first. */
export function memberController(): Controller {
  return {
    name: 'cluster.MemberController',
    inputs: [weak(affiliates)],
    outputs: [exclusive(members)],
    async reconcile(pass) {
      const all = (await pass.list(affiliates)).filter(({ metadata }) => metadata.phase === 'running');
      const isLocal = ({ metadata }: (typeof all)[number]) =>
        metadata.owner === 'cluster.LocalAffiliateController';
      // A control plane comes before a worker, so a worker cannot take its nodename.
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
