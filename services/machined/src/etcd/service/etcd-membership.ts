// How this node's etcd becomes a member with a vote, through the members that there are.
import { pauseBy, type Timers } from '@nodewright/async';
import type { EtcdClient, EtcdReason } from '@nodewright/etcd';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import {
  initialClusterOf,
  type KnownMember,
  memberInWaiting,
  type OwnMember,
  planJoin,
  planPromotion,
  promotionEndpoints,
} from '../domain/join-plan.ts';
import {
  joinNoticeMs,
  joinSchedule,
  promotionEndpointMs,
  promotionSchedule,
  shortWait,
} from '../domain/retry-schedules.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { type AttemptsInit, makeAttempts } from './attempts.ts';

export interface EtcdMembershipInit extends Pick<AttemptsInit, 'timers' | 'random'> {
  readonly access: EtcdAccess;
  readonly log: Logger;
  /** Says what is waited for, each time that this changes. */
  readonly report?: (message: string) => void;
}

/**
 * Has this node added as a learner, and yields what its etcd is told of the cluster that it enters. Goes on until a
 * cluster answers. @throws Fault when none has within half an hour, `cancelled` when the signal aborts
 */
export async function joinEtcd(
  { access, log, timers, random, report }: EtcdMembershipInit,
  self: OwnMember,
  signal: AbortSignal,
): Promise<string> {
  let toldMs = -joinNoticeMs;
  let reported: string | undefined;
  const onFailure = ({ message }: Fault, elapsedMs: number) => {
    if (message !== reported) report?.(`Waiting to join etcd: ${message}`);
    reported = message;
    if (elapsedMs - toldMs < joinNoticeMs) return;
    toldMs = elapsedMs;
    log.info({ error: message, seconds: Math.round(elapsedMs / 1000) }, 'waiting to join etcd');
  };
  return makeAttempts({ schedule: joinSchedule, timers, random, signal, onFailure }, async (attempt) => {
    const endpoints = await access.others();
    if (endpoints.length === 0) throw new Fault('unavailable', 'no other control plane is known');
    return firstToDo(access, endpoints, (client) => enter(client, timers, self, attempt));
  });
}

async function enter(
  client: EtcdClient,
  timers: Timers,
  self: OwnMember,
  signal: AbortSignal,
): Promise<string> {
  const { etcdReasonOf } = await import('@nodewright/etcd');
  const options = { timeoutMs: promotionEndpointMs, signal };
  const list = () => client.members({ ...options, linearizable: true });
  for (const step of planJoin(await list(), self)) {
    if (step.kind === 'remove') await client.removeMember(step.id, options);
    if (step.kind !== 'add-learner') continue;
    try {
      await retryShortly(timers, signal, ['too-many-learners', 'unhealthy-cluster'], () =>
        client.addLearner(step.peerUrls, options),
      );
    } catch (error) {
      // What was asked for in an attempt that was given up may have been done since.
      const isThere = etcdReasonOf(error) === 'peer-url-exists';
      if (!isThere || memberInWaiting(await list(), self) === undefined) throw error;
    }
  }
  return initialClusterOf(await list(), self);
}

/**
 * Resolves once this node has a vote: another member is asked to promote it, again and again until it has caught up.
 * @throws Fault when that has not come to be in time, `cancelled` when the signal aborts
 */
export async function promoteEtcd(
  { access, log, timers, random }: EtcdMembershipInit,
  self: OwnMember,
  signal: AbortSignal,
): Promise<void> {
  const onFailure = ({ message }: Fault) => log.debug({ error: message }, 'etcd has no vote yet');
  const schedule = promotionSchedule;
  await makeAttempts({ schedule, timers, random, signal, onFailure }, async (attempt) => {
    const own = await access.own();
    const others = await access.others();
    const options = { timeoutMs: promotionEndpointMs, signal: attempt };
    // The node's own etcd knows too, if nobody else answers: as soon as it has caught up so far.
    const members = await firstToDo<readonly KnownMember[]>(access, [...others, ...own], (client) =>
      client.members(options),
    );
    const step = planPromotion(members, self);
    if (step.kind === 'done') return;
    if (step.kind === 'wait') throw new Fault('unavailable', 'the members of etcd do not know this node');
    const endpoints = promotionEndpoints(members, others, own);
    await firstToDo(access, endpoints, (client) =>
      retryShortly(timers, attempt, ['learner-not-ready'], () => client.promote(step.id, options)),
    );
    log.info('etcd of this node has a vote');
  });
}

/** Does it again and again while it fails for one of these reasons, and for a short time only. */
async function retryShortly<T>(
  timers: Timers,
  signal: AbortSignal,
  passing: readonly EtcdReason[],
  act: () => Promise<T>,
): Promise<T> {
  const { etcdReasonOf } = await import('@nodewright/etcd');
  const untilMs = timers.now() + shortWait.totalMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const reason = etcdReasonOf(error);
      if (reason === undefined || !passing.includes(reason) || timers.now() >= untilMs) throw error;
      await pauseBy(timers, shortWait.unitMs, signal);
      if (signal.aborted) throw error;
    }
  }
}

/** What the first of the endpoints that can do it yields. @throws Fault that tells why each could not */
async function firstToDo<T>(
  access: EtcdAccess,
  endpoints: readonly string[],
  act: (client: EtcdClient) => Promise<T>,
): Promise<T> {
  const reasons: string[] = [];
  for (const endpoint of endpoints) {
    try {
      await using client = await access.openAt([endpoint]);
      return await act(client);
    } catch (error) {
      reasons.push(faultFrom(error).message);
    }
  }
  throw new Fault('unavailable', `no member of etcd does it: ${reasons.join('; ')}`);
}
