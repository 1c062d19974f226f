import { needsPeerUpdate } from '../domain/join-plan.ts';
import type { EtcdAccess } from './etcd-access.ts';

const timeoutMs = 5000;

/** The id of the node's own member as people read it. @throws Fault while its etcd does not answer */
export async function askMemberId({ openLocal }: EtcdAccess, signal: AbortSignal): Promise<string> {
  const { etcdIdText } = await import('@nodewright/etcd');
  await using client = await openLocal();
  return etcdIdText((await client.status({ timeoutMs, signal })).memberId);
}

/** Makes the peer URLs of the node's own member these; yields whether they were others. @throws Fault */
export async function updatePeerUrls(
  { openLocal }: EtcdAccess,
  peerUrls: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  await using client = await openLocal();
  const options = { timeoutMs, signal };
  const { memberId } = await client.status(options);
  const own = (await client.members(options)).find(({ id }) => id === memberId);
  if (own === undefined || !needsPeerUpdate(own, peerUrls)) return false;
  await client.updateMember(memberId, peerUrls, options);
  return true;
}
