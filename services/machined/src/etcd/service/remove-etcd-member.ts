import { Fault } from '@nodewright/fault';
import { removalProblem } from '../domain/quorum.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { votingStates } from '../host/etcd-votes.ts';

/**
 * Takes a member out of the cluster, if the others can do without it. Source: Talos v1.14: EtcdRemoveMemberByID; ours:
 * the quorum is looked after.
 *
 * @throws Fault `not-found` for an id that no member has, `failed-precondition` with the reason where the quorum would be
 *   lost, or that of etcd
 */
export async function removeEtcdMember(
  access: Pick<EtcdAccess, 'openAt' | 'own' | 'others'>,
  id: bigint,
  signal: AbortSignal,
): Promise<void> {
  const { etcdIdText } = await import('@nodewright/etcd');
  // The others first: a member that takes itself out may end before it answers.
  const endpoints = [...(await access.others()), ...(await access.own())];
  if (endpoints.length === 0) throw new Fault('failed-precondition', 'no member of etcd is known');
  await using client = await access.openAt(endpoints);
  // As one member knows it: where nothing can be agreed on, that is to be said, and not waited for.
  const members = await client.members({ signal });
  if (!members.some((member) => member.id === id))
    throw new Fault('not-found', `no member of etcd has the id ${etcdIdText(id)}`);
  const problem = removalProblem(await votingStates(access, members, signal), id);
  if (problem !== undefined) throw new Fault('failed-precondition', problem);
  await client.removeMember(id, { signal });
}
