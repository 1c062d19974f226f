import type { EtcdMember } from '@nodewright/contract/gen/machine/machine.ts';

/** What a removal of one member leaves, in words for the one who is asked. */
export function removalEffect(
  members: readonly Pick<EtcdMember, 'id' | 'hostname' | 'isLearner'>[],
  leaving: { readonly id: bigint } | { readonly hostname: string },
): string {
  const member = members.find((each) =>
    'id' in leaving ? each.id === leaving.id : each.hostname === leaving.hostname,
  );
  if (member === undefined) return 'it is no member of etcd';
  if (member.isLearner) return 'it is a learner: no vote is lost';
  const before = members.filter(({ isLearner }) => !isLearner).length;
  if (before === 1) return 'it is the last etcd voter: the data of the cluster go with it';
  const after = before - 1;
  const mayFail = after - (Math.floor(after / 2) + 1);
  const left = after === 1 ? '1 voter stays' : `${after} of ${before} voters stay`;
  return mayFail === 0
    ? `${left}, and none of them may fail then`
    : `${left}, of which ${mayFail} may fail then`;
}
