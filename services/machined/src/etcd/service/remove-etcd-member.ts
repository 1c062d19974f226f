import { pause } from '@nodewright/async';
import type { EtcdClient, EtcdMember } from '@nodewright/etcd';
import { removalProblem } from '@nodewright/etcd/quorum';
import { Fault, faultFrom } from '@nodewright/fault';
import { controlPlaneKey } from '../../base/domain/control-plane-key.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { votingStates } from '../host/etcd-votes.ts';

/** The members agree within this time, or there is no leader. */
const agreementTimeoutMs = 5000;

/** What a removal does when the names of the node could not be freed. By default it fails, so that the caller repeats it. */
export type OnNamesKept = (fault: Fault) => void;

const failWithNames: OnNamesKept = (fault) => {
  throw fault;
};

/**
 * Removes a member from the cluster if the cluster keeps a quorum without it, and frees the names and addresses of its
 * node. Talos does not check the quorum. Source: Talos v1.14: EtcdRemoveMemberByID.
 *
 * @throws Fault `not-found` for an unknown id, `failed-precondition` with the reason when the quorum would be
 * lost or etcd refuses
 */
export async function removeEtcdMember(
  access: Pick<EtcdAccess, 'openAt' | 'own' | 'others'>,
  id: bigint,
  signal: AbortSignal,
  onNamesKept = failWithNames,
): Promise<void> {
  const free = (client: EtcdClient) => freeNames(client, id, signal, onNamesKept);
  // A member that is unknown was removed before, perhaps by a call that failed before it freed the names.
  await using client = await openForRemoval(access, id, signal, free);
  await client.removeMember(id, { signal });
  await free(client);
}

/** The removal of a leader or of the member that answers fails the next calls for a moment. */
const freeing = { attempts: 5, pauseMs: 1000 } as const;

/** Deletes the names and addresses that the node of a removed member kept. Returns whether there were any. */
async function freeNames(
  client: EtcdClient,
  id: bigint,
  signal: AbortSignal,
  onNamesKept: OnNamesKept,
): Promise<boolean> {
  const { etcdIdText } = await import('@nodewright/etcd');
  for (let attempt = 1; ; attempt += 1) {
    try {
      const options = { timeoutMs: agreementTimeoutMs, signal };
      return (await client.delete(controlPlaneKey(etcdIdText(id)), options)) > 0n;
    } catch (error) {
      signal.throwIfAborted();
      const { kind, message } = faultFrom(error);
      if (attempt === freeing.attempts) {
        const text = `the member ${etcdIdText(id)} was removed, but its names are still reserved, repeat the call: ${message}`;
        onNamesKept(new Fault(kind, text, { cause: error }));
        return false;
      }
      await pause(freeing.pauseMs, signal);
    }
  }
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
  onUnknown: (client: EtcdClient) => Promise<boolean> = async () => false,
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
  if (!isThere(members)) {
    const hasFreed = await onUnknown(client);
    const freed = hasFreed ? '; the names that its node kept are free now' : '';
    throw new Fault('not-found', `no member of etcd has the id ${etcdIdText(id)}${freed}`);
  }
  const problem = removalProblem(await votingStates(access, members, signal), id);
  if (problem !== undefined) throw new Fault('failed-precondition', problem);
  scope.move();
  return client;
}
