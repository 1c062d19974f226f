import type { EtcdClient, EtcdMember } from '@nodewright/etcd';
import { removalProblem } from '@nodewright/etcd/quorum';
import { Fault } from '@nodewright/fault';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { votingStates } from '../host/etcd-votes.ts';

/** The members agree within this time, or there is no leader. */
const agreementTimeoutMs = 5000;

/**
 * Removes a member from the cluster if the cluster keeps a quorum without it. Talos does not check the
 * quorum. Source: Talos v1.14: EtcdRemoveMemberByID.
 *
 * @throws Fault `not-found` for an unknown id, `failed-precondition` with the reason when the quorum would be
 * lost or etcd refuses
 */
export async function removeEtcdMember(
  access: Pick<EtcdAccess, 'openAt' | 'own' | 'others'>,
  id: bigint,
  signal: AbortSignal,
): Promise<void> {
  await using client = await openForRemoval(access, id, signal);
  await client.removeMember(id, { signal });
}

/**
 * Checks whether the cluster keeps a quorum without a member, and changes nothing.
 *
 * @throws Fault like `removeEtcdMember()`
 */
export async function assertRemovable(
  access: Pick<EtcdAccess, 'openAt' | 'own' | 'others'>,
  id: bigint,
  signal: AbortSignal,
): Promise<void> {
  await using _client = await openForRemoval(access, id, signal);
}

/** Connects to a member that may remove the other one. */
async function openForRemoval(
  access: Pick<EtcdAccess, 'openAt' | 'own' | 'others'>,
  id: bigint,
  signal: AbortSignal,
): Promise<EtcdClient> {
  const { etcdIdText } = await import('@nodewright/etcd');
  // Other members come first: a member that removes itself may exit before it answers.
  const endpoints = [...(await access.others()), ...(await access.own())];
  if (endpoints.length === 0) throw new Fault('failed-precondition', 'no etcd endpoint is known');
  await using scope = new AsyncDisposableStack();
  const client = scope.use(await access.openAt(endpoints));
  // A serializable read, which needs no quorum: a cluster without one should be reported instead of waited
  // for. But a member that is missing there may be one that the answering member does not know yet.
  const isThere = (list: readonly EtcdMember[]) => list.some((member) => member.id === id);
  const local = await client.members({ signal });
  const members = isThere(local)
    ? local
    : await client.members({ linearizable: true, timeoutMs: agreementTimeoutMs, signal });
  if (!isThere(members)) throw new Fault('not-found', `no member of etcd has the id ${etcdIdText(id)}`);
  const problem = removalProblem(await votingStates(access, members, signal), id);
  if (problem !== undefined) throw new Fault('failed-precondition', problem);
  scope.move();
  return client;
}
