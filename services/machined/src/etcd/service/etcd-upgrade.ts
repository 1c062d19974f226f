import { Deadline } from '@nodewright/async';
import { type EtcdMember, etcdIdText } from '@nodewright/etcd';
import { Fault, faultFrom } from '@nodewright/fault';
import { type UpgradedMember, upgradeProblem } from '../domain/upgrade-problem.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';

/** Source: Talos v1.14: MachineService, upgrade. */
const mutex = 'talos:v1:etcdUpgradeMutex';
const healthKey = 'health';
const readTimeoutMs = 15_000;
/** Of the calls that take and release the mutex. Source: Talos v1.14: MachineService, upgrade. */
const lockTimeoutMs = 5_000;

/**
 * Checks that etcd can do without this node for a while, under the mutex that the calls of all control planes take: it is released
 * when the check is done, and its lease bounds a crash. Does nothing on a node without etcd.
 *
 * @throws Fault `failed-precondition` with the reason when it cannot, when another node is being checked, or when etcd does not answer
 */
export async function assertMayUpgrade(
  access: Pick<EtcdAccess, 'own' | 'openAt' | 'openCluster'>,
  signal: AbortSignal,
): Promise<void> {
  if ((await access.own()).length === 0) return;
  try {
    await using client = await access.openCluster();
    const { keyValues } = await client.list(`${mutex}/`, { timeoutMs: lockTimeoutMs, signal });
    if (keyValues.length > 0) throw new Fault('failed-precondition', 'another node is being upgraded');
    using waiting = new Deadline(lockTimeoutMs, signal);
    await using _lock = await client.lock(mutex, { signal: waiting.signal });
    const members = await client.members({ timeoutMs: lockTimeoutMs, signal });
    const problem = upgradeProblem(
      await Promise.all(members.map((member) => checkMember(access, member, signal))),
    );
    if (problem !== undefined) throw new Fault('failed-precondition', problem);
  } catch (error) {
    signal.throwIfAborted();
    throw new Fault('failed-precondition', `etcd refuses the upgrade: ${faultFrom(error).message}`, {
      cause: error,
    });
  }
}

/**
 * The members as an upgrade of one of them sees them, without the mutex: it changes nothing.
 *
 * @param timeoutMs of the list of members, and of each member with all its addresses
 * @throws Fault when etcd does not answer
 */
export async function lookAtMembers(
  access: Pick<EtcdAccess, 'openAt' | 'openCluster'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<UpgradedMember[]> {
  await using client = await access.openCluster();
  const members = await client.members({ timeoutMs, signal });
  return Promise.all(members.map((member) => checkMember(access, member, signal, timeoutMs)));
}

async function checkMember(
  { openAt }: Pick<EtcdAccess, 'openAt'>,
  { id, name, clientUrls }: EtcdMember,
  signal: AbortSignal,
  timeoutMs = readTimeoutMs,
): Promise<UpgradedMember> {
  const member = { name, id: etcdIdText(id) };
  if (name === '') return { ...member, failure: undefined };
  try {
    // The time is that of the member: it may announce any number of addresses.
    const endMs = performance.now() + timeoutMs;
    for (const url of clientUrls) {
      const leftMs = Math.ceil(endMs - performance.now());
      if (leftMs <= 0)
        throw new Fault(
          'deadline-exceeded',
          `etcd did not answer at its ${clientUrls.length} addresses within ${timeoutMs} ms`,
        );
      await using client = await openAt([new URL(url).host]);
      await client.get(healthKey, { timeoutMs: leftMs, signal });
    }
    return { ...member, failure: undefined };
  } catch (error) {
    return { ...member, failure: faultFrom(error).message };
  }
}
