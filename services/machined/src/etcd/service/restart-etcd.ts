// Restarts etcd on the control planes of a cluster one at a time, and only while all members are healthy.
import type { Timers } from '@nodewright/async';
import type { PostponedRestart, RestartRequest } from '@nodewright/controllers';
import type { EtcdClient, EtcdMember } from '@nodewright/etcd';
import { faultFrom } from '@nodewright/fault';
import { actInTurn, type Turn, takeTurn } from '@nodewright/rollout';
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
const noTurn = 'etcd has no leader, or another control plane is restarting its member';

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
  const find = async (listed: readonly EtcdMember[]) =>
    (await votingStates(access, listed, signal)).find(({ id }) => id === self);
  let known = members ?? [];
  const outcome = await actInTurn({
    takeTurn: async (scope) => takeRestartTurn(init, client, scope, signal),
    isNeeded,
    async look(turn) {
      if (turn === undefined) {
        const isRunning =
          (await memberId(access, signal)) !== undefined || ((await find(known))?.isAlive ?? false);
        return isRunning ? { isWell: true, obstacle: noTurn } : { isWell: false };
      }
      known = await client.members({ signal });
      const plan = planRestart(await votingStates(access, known, signal), self ?? 0n);
      if (plan.kind === 'wait') return { isWell: true, obstacle: plan.reason };
      return plan.isRunning ? { isWell: true, obstacle: undefined } : { isWell: false };
    },
    act: (wasRunning) => restartMember(init, wasRunning, signal),
    async check() {
      // All members are asked: only the others show whether the cluster has a leader that this one does not see.
      const own = await find(known);
      return own === undefined || own.isAlive
        ? { isWell: true }
        : { isWell: false, reason: 'it does not answer' };
    },
    times: { pollMs: recoveryPollMs, limitMs: recoveryTimeoutMs },
    ...{ timers: init.timers, signal },
  });
  if (outcome.kind === 'postponed') return { reason: outcome.reason, retryAfterMs };
  if (outcome.kind === 'not-well')
    log.error({ seconds: outcome.afterMs / 1000 }, 'etcd does not answer after its restart: look at its log');
  return undefined;
}

async function restartMember(
  { access, restart, log, timers }: RestartEtcdInit,
  wasRunning: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (wasRunning) {
    await forfeitLeadership(access, timers, signal).catch((error: unknown) => {
      log.warn({ error: faultFrom(error).message }, 'etcd restarts without a leadership transfer');
    });
  }
  log.info({ wasRunning }, 'restarting etcd with new settings');
  await restart();
}

/** Takes the restart lock until `scope` ends; `undefined` when it is not available in time. */
async function takeRestartTurn(
  { timers, log }: RestartEtcdInit,
  client: EtcdClient,
  scope: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Turn | undefined> {
  const timeout = new AbortController();
  using _timer = timers.after(lockTimeoutMs, () => timeout.abort());
  try {
    const waiting = AbortSignal.any([signal, timeout.signal]);
    return scope.use(await takeTurn(client, { name: restartLockName, signal: waiting }));
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
