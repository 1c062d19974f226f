// Restarts etcd on the control planes of a cluster one at a time, and only while all members are healthy.
import { pauseBy, type Timers } from '@nodewright/async';
import type { PostponedRestart, RestartRequest } from '@nodewright/controllers';
import type { EtcdClient, EtcdLock, EtcdMember } from '@nodewright/etcd';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { planRestart } from '../domain/plan-restart.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { votingStates } from '../host/etcd-votes.ts';
import { forfeitLeadership } from './forfeit-leadership.ts';

export interface RestartEtcdInit {
  readonly access: EtcdAccess;
  readonly log: Logger;
  readonly timers: Timers;
  /** The id of this node's member as its data have it; `undefined` when they do not. */
  readonly storedId: () => Promise<bigint | undefined>;
  /** Stops etcd of this node and starts it with the current settings. */
  readonly restart: () => Promise<void>;
}

/** The members of the cluster, and the id of this node's; `undefined` when neither its etcd nor its data say it. */
interface Known {
  readonly members: readonly EtcdMember[];
  readonly self: bigint | undefined;
}

/** The prefix of the lock keys in etcd. Control planes that need a restart queue up under it. */
export const restartLockName = 'nodewright/restart-etcd';

/**
 * The timeout of the lock. A restarting member holds it only for some seconds, so a longer wait means that
 * etcd has no leader.
 */
const lockTimeoutMs = 60_000;
/** A member with valid arguments is back within this time, even with a large database. */
const recoveryTimeoutMs = 120_000;
const recoveryPollMs = 500;
const retryAfterMs = 5000;
const statusTimeoutMs = 2000;

/**
 * Restarts etcd of this node when the cluster does not need its vote. It takes a lock in etcd, checks that
 * every other member answers, and transfers the leadership. It keeps the lock until this node's etcd answers
 * again. The only member of a cluster restarts immediately, and so does a member that does not answer.
 *
 * @returns why the restart is postponed; `undefined` when it is done or not needed
 */
export async function restartEtcd(
  init: RestartEtcdInit,
  { signal, isNeeded }: RestartRequest,
): Promise<PostponedRestart | undefined> {
  const { access, log } = init;
  // Its etcd may listen at an address that the node no longer has.
  const self = (await memberId(access, signal)) ?? (await init.storedId());
  const endpoints = [...(await access.others()), ...(await access.own())];
  // Other members come first: the connection that holds the lock must survive the restart of this node's
  // etcd.
  await using client = await access.openAt(endpoints);
  const members = await readMembers(client, signal);
  if (members?.length === 1 && members[0]?.id === self) {
    log.info('restarting etcd, the only member of its cluster, with new settings');
    await init.restart();
    return undefined;
  }
  const lock = await takeLock(init, client, signal);
  if (lock === undefined) return restartWithoutLock(init, { members: members ?? [], self }, signal);
  await using _held = lock;
  return await restartInTurn(init, client, self, { signal, isNeeded });
}

async function restartWithoutLock(
  { access, restart, log }: RestartEtcdInit,
  { members, self }: Known,
  signal: AbortSignal,
): Promise<PostponedRestart | undefined> {
  const isRunning =
    (await memberId(access, signal)) !== undefined ||
    (await votingStates(access, members, signal)).some(({ id, isAlive }) => id === self && isAlive);
  if (isRunning)
    return { reason: 'etcd has no leader, or another control plane is restarting its member', retryAfterMs };
  signal.throwIfAborted();
  log.info('restarting etcd, which does not answer, with new settings');
  await restart();
  return undefined;
}

async function restartInTurn(
  init: RestartEtcdInit,
  client: EtcdClient,
  self: bigint | undefined,
  { signal, isNeeded }: RestartRequest,
): Promise<PostponedRestart | undefined> {
  const { access, log, timers } = init;
  if (!(await isNeeded())) return undefined;
  const members = await client.members({ signal });
  const plan = planRestart(await votingStates(access, members, signal), self ?? 0n);
  if (plan.kind === 'wait') return { reason: plan.reason, retryAfterMs };
  if (plan.isRunning) {
    await forfeitLeadership(access, timers, signal).catch((error: unknown) => {
      log.warn({ error: faultFrom(error).message }, 'etcd restarts without a leadership transfer');
    });
  }
  log.info({ members: members.length }, 'restarting etcd with new settings');
  await init.restart();
  await waitUntilBack(init, { members, self }, { signal, isNeeded });
  return undefined;
}

/**
 * Waits until the member answers and sees a leader, until its settings change again, or until a time limit.
 */
async function waitUntilBack(
  { access, log, timers }: RestartEtcdInit,
  { members, self }: Known,
  { signal, isNeeded }: RestartRequest,
): Promise<void> {
  const endMs = timers.monotonicMs() + recoveryTimeoutMs;
  while (timers.monotonicMs() < endMs && !signal.aborted) {
    // All members are asked: only the others show whether the cluster has a leader that this one does not see.
    const own = (await votingStates(access, members, signal)).find(({ id }) => id === self);
    if (own === undefined || own.isAlive) return;
    // The settings were changed again, probably to fix an error: the next pass restarts etcd with them.
    if (await isNeeded()) return;
    await pauseBy(timers, recoveryPollMs, signal);
  }
  signal.throwIfAborted();
  log.error({ seconds: recoveryTimeoutMs / 1000 }, 'etcd does not answer after its restart: look at its log');
}

/** Takes the restart lock; `undefined` when it is not available in time. */
async function takeLock(
  { timers, log }: RestartEtcdInit,
  client: EtcdClient,
  signal: AbortSignal,
): Promise<EtcdLock | undefined> {
  const timeout = new AbortController();
  using _timer = timers.after(lockTimeoutMs, () => timeout.abort());
  try {
    return await client.lock(restartLockName, { signal: AbortSignal.any([signal, timeout.signal]) });
  } catch (error) {
    signal.throwIfAborted();
    log.debug({ error: faultFrom(error).message }, 'no lock for the restart of etcd');
    return undefined;
  }
}

/** The id of this node's member; `undefined` while its etcd does not answer. */
async function memberId(
  { openLocal }: Pick<EtcdAccess, 'openLocal'>,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  try {
    await using client = await openLocal();
    return (await client.status({ timeoutMs: statusTimeoutMs, signal })).memberId;
  } catch {
    return undefined;
  }
}

/** The member list as one member reports it; `undefined` when none answers. */
async function readMembers(
  client: EtcdClient,
  signal: AbortSignal,
): Promise<readonly EtcdMember[] | undefined> {
  try {
    return await client.members({ timeoutMs: statusTimeoutMs, signal });
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
