import type { EtcdSpace } from '../domain/etcd-space.ts';
import { needsPeerUpdate } from '../domain/join-plan.ts';
import type { EtcdAccess } from './etcd-access.ts';

const timeoutMs = 5000;

/**
 * Returns the member id of this node's own etcd as hexadecimal text.
 *
 * @throws Fault while etcd does not answer
 */
export async function askMemberId({ openLocal }: EtcdAccess, signal: AbortSignal): Promise<string> {
  const { etcdIdText } = await import('@nodewright/etcd');
  await using client = await openLocal();
  return etcdIdText((await client.status({ timeoutMs, signal })).memberId);
}

/** Reads the space and the alarms of this node's own etcd. @throws Fault while etcd does not answer */
export async function askSpace({ openLocal }: EtcdAccess, signal: AbortSignal): Promise<EtcdSpace> {
  await using client = await openLocal();
  const { dbSizeBytes, dbSizeInUseBytes, dbSizeQuotaBytes, errors } = await client.status({
    timeoutMs,
    signal,
  });
  return {
    usedBytes: Number(dbSizeBytes),
    inUseBytes: Number(dbSizeInUseBytes),
    quotaBytes: Number(dbSizeQuotaBytes),
    errors,
  };
}

/** Sets the peer URLs of this node's own member. Resolves to whether they changed. @throws Fault of etcd */
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
