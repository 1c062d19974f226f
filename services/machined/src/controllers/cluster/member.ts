import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { affiliates, members } from '@nodewright/state/kinds';
import { membersOf } from '../../domain/affiliates.ts';

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
      const localFirst = [...all.filter(isLocal), ...all.filter((each) => !isLocal(each))];
      await pass.replace(members, membersOf(localFirst.map(({ spec }) => spec)));
    },
  };
}
