// How the control planes of a cluster restart their etcd one after the other, and only while all of them are healthy.
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
  /** Stops etcd of this node and starts it with the settings of now. */
  readonly restart: () => Promise<void>;
}

/** The key in etcd below which the control planes that restart their etcd queue up. */
export const restartLockName = 'nodewright/restart-etcd';

/** A member that restarts holds the lock for some seconds. Beyond this the lock is out of reach: etcd has no leader. */
const lockTimeoutMs = 60_000;
/** Within this time a member with usable arguments is back, even with a large database. */
const recoveryTimeoutMs = 120_000;
const recoveryPollMs = 500;
const retryAfterMs = 5000;
const statusTimeoutMs = 2000;

/**
 * Restarts etcd of this node when the cluster can do without its vote for that time: under a lock in etcd, while every
 * other member answers, and after it has passed its leadership on. It keeps the lock until this node's etcd answers
 * again. The only member of a cluster restarts at once, and so does one that does not answer.
 *
 * @returns why the restart has to wait; `undefined` when it is done or not needed any more
 */
export async function restartEtcd(
  init: RestartEtcdInit,
  { signal, isNeeded }: RestartRequest,
): Promise<PostponedRestart | undefined> {
  const { access, log } = init;
  const self = await memberId(access, signal);
  const endpoints = [...(await access.others()), ...(await access.own())];
  // The others first: the connection that keeps the lock has to outlive this node's etcd.
  await using client = await access.openAt(endpoints);
  const members = await readMembers(client, signal);
  if (members?.length === 1 && members[0]?.id === self) {
    log.info('restarting etcd, the only member of its cluster, with other settings');
    await init.restart();
    return undefined;
  }
  const lock = await takeLock(init, client, signal);
  if (lock === undefined) return restartWithoutLock(init, self);
  await using _held = lock;
  return await restartInTurn(init, client, self, { signal, isNeeded });
}

async function restartWithoutLock(
  { access, restart, log }: RestartEtcdInit,
  self: bigint | undefined,
): Promise<PostponedRestart | undefined> {
  const isRunning =
    self !== undefined && (await memberId(access, AbortSignal.timeout(statusTimeoutMs))) !== undefined;
  if (isRunning) return { reason: 'etcd has no leader, or another control plane restarts it', retryAfterMs };
  log.info('restarting etcd, which does not answer, with other settings');
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
      log.warn({ error: faultFrom(error).message }, 'etcd restarts without passing its leadership on');
    });
  }
  log.info({ members: members.length }, 'restarting etcd with other settings');
  await init.restart();
  const own = members.filter(({ id }) => id === self);
  await waitUntilBack(init, own, { signal, isNeeded });
  return undefined;
}

/** Waits until the member answers and sees a leader, for a bounded time, or until its settings change once more. */
async function waitUntilBack(
  { access, log, timers }: RestartEtcdInit,
  own: readonly EtcdMember[],
  { signal, isNeeded }: RestartRequest,
): Promise<void> {
  const endMs = timers.now() + recoveryTimeoutMs;
  while (timers.now() < endMs && !signal.aborted) {
    const [state] = await votingStates(access, own, signal);
    if (state === undefined || state.isAlive) return;
    // Settings that it cannot run with were corrected: the next pass of the controller restarts it with these.
    if (await isNeeded()) return;
    await pauseBy(timers, recoveryPollMs, signal);
  }
  signal.throwIfAborted();
  log.error({ seconds: recoveryTimeoutMs / 1000 }, 'etcd does not answer after its restart: look at its log');
}

/** `undefined` when no lock could be had in time. */
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
    log.debug({ error: faultFrom(error).message }, 'no lock to restart etcd');
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

/** As one member knows them; `undefined` when none answers. */
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
