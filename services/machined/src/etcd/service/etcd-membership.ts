// Joins this node's etcd to the existing members and has it promoted to a voting member.
import { pauseBy, type Timers } from '@nodewright/async';
import type { EtcdClient, EtcdReason } from '@nodewright/etcd';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { controlPlaneKey } from '../../base/domain/control-plane-key.ts';
import {
  initialClusterOf,
  type JoinStep,
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
  /** Reports the reason for waiting each time that it changes. */
  readonly report?: (message: string) => void;
}

/**
 * Adds this node as a learner and returns the `--initial-cluster` value for its etcd. It retries until a
 * cluster answers.
 *
 * @throws Fault when no cluster answers within half an hour, `cancelled` when the signal aborts
 */
export async function joinEtcd(
  { access, log, timers, random, report }: EtcdMembershipInit,
  self: OwnMember,
  signal: AbortSignal,
): Promise<string> {
  const namesakes = new Namesakes(timers);
  let loggedMs = -joinNoticeMs;
  let reported: string | undefined;
  const onFailure = ({ message }: Fault, elapsedMs: number) => {
    if (message !== reported) report?.(`Waiting to join etcd: ${message}`);
    reported = message;
    if (elapsedMs - loggedMs < joinNoticeMs) return;
    loggedMs = elapsedMs;
    log.info({ error: message, seconds: Math.round(elapsedMs / 1000) }, 'waiting to join etcd');
  };
  return makeAttempts({ schedule: joinSchedule, timers, random, signal, onFailure }, async (attempt) => {
    const endpoints = await access.others();
    if (endpoints.length === 0) throw new Fault('unavailable', 'no other control plane is known');
    return tryEndpoints(access, endpoints, (client) =>
      enter(client, { access, timers, namesakes }, self, attempt),
    );
  });
}

async function enter(
  client: EtcdClient,
  { access, timers, namesakes }: Pick<EtcdMembershipInit, 'access' | 'timers'> & { namesakes: Namesakes },
  self: OwnMember,
  signal: AbortSignal,
): Promise<string> {
  const { etcdIdText, etcdReasonOf } = await import('@nodewright/etcd');
  const options = { timeoutMs: promotionEndpointMs, signal };
  const list = () => client.members({ ...options, linearizable: true });
  for (const step of planJoin(await list(), self)) {
    if (step.kind === 'remove') {
      await namesakes.requireGone(access, step, self, signal);
      await client.removeMember(step.id, options);
      await client.delete(controlPlaneKey(etcdIdText(step.id)), options);
    }
    if (step.kind !== 'add-learner') continue;
    try {
      await retryShortly(timers, signal, ['too-many-learners', 'unhealthy-cluster'], () =>
        client.addLearner(step.peerUrls, options),
      );
    } catch (error) {
      // An earlier attempt that timed out may have succeeded in etcd.
      const isThere = etcdReasonOf(error) === 'peer-url-exists';
      if (!isThere || memberInWaiting(await list(), self) === undefined) throw error;
    }
  }
  return initialClusterOf(await list(), self);
}

/** A living member answers in this time, unless its host is busy. */
const livingMs = 3_000;
/** How long a member must stay silent at all its addresses: a restart of etcd and a lost packet are shorter. */
const goneMs = 10_000;

/** What one join has learnt about members that have this node's name and other addresses. */
class Namesakes {
  readonly #timers: Timers;
  /** Members that have answered, by the refusal. They stay another node's, also while they restart. */
  readonly #living = new Map<bigint, LivingNamesake>();
  /** Since when a member has not answered, in milliseconds of a monotonic clock. */
  readonly #silentSinceMs = new Map<bigint, number>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** @throws LivingNamesake when the member belongs to another node; Fault `unavailable` while that is not known */
  async requireGone(
    access: EtcdAccess,
    { id, unlessAt }: Extract<JoinStep, { readonly kind: 'remove' }>,
    self: OwnMember,
    signal: AbortSignal,
  ): Promise<void> {
    const { etcdIdText } = await import('@nodewright/etcd');
    for (const endpoint of unlessAt) {
      if (this.#living.has(id) || !(await answersAs(access, endpoint, id, signal))) continue;
      this.#living.set(id, new LivingNamesake(self.name, endpoint, etcdIdText(id)));
    }
    const living = this.#living.get(id);
    if (living !== undefined) throw living;
    if (unlessAt.length === 0) return;
    const nowMs = this.#timers.monotonicMs();
    const sinceMs = this.#silentSinceMs.get(id) ?? nowMs;
    this.#silentSinceMs.set(id, sinceMs);
    if (nowMs - sinceMs >= goneMs) return;
    throw new Fault(
      'unavailable',
      `the member ${etcdIdText(id)} of etcd has the name "${self.name}", too: it is replaced if it stays silent`,
    );
  }
}

/** Whether the member answers at an endpoint (`host:port`), and so belongs to a node that is not this one. */
async function answersAs(
  access: EtcdAccess,
  endpoint: string,
  id: bigint,
  signal: AbortSignal,
): Promise<boolean> {
  await using client = await access.openAt([endpoint]);
  const status = await client.status({ timeoutMs: livingMs, signal }).catch(() => undefined);
  return status?.memberId === id;
}

/** No other endpoint of the cluster says anything else. */
class LivingNamesake extends Fault {
  constructor(name: string, endpoint: string, id: string) {
    super(
      'failed-precondition',
      `the member ${id} of etcd at ${endpoint} has the name "${name}", too, and is alive: give this node another host name, or remove the member with talosctl etcd remove-member ${id}`,
    );
  }
}

/**
 * Resolves once this node, whose etcd runs, has a vote. It asks other members to promote this node, and retries until
 * it has caught up.
 *
 * @throws Fault when the promotion takes too long, `cancelled` when the signal aborts
 */
export async function promoteEtcd(
  { access, log, timers, random }: EtcdMembershipInit,
  signal: AbortSignal,
): Promise<void> {
  const onFailure = ({ message }: Fault) => log.debug({ error: message }, 'etcd has no vote yet');
  const schedule = promotionSchedule;
  await makeAttempts({ schedule, timers, random, signal, onFailure }, async (attempt) => {
    const own = await access.own();
    const others = await access.others();
    const options = { timeoutMs: promotionEndpointMs, signal: attempt };
    await using local = await access.openLocal();
    const { memberId } = await local.status(options);
    // If no other member answers, the node's own etcd can answer once it has caught up.
    const members = await tryEndpoints<readonly KnownMember[]>(access, [...others, ...own], (client) =>
      client.members(options),
    );
    const step = planPromotion(members, memberId);
    if (step.kind === 'done') return;
    if (step.kind === 'wait') throw new Fault('unavailable', 'the etcd members do not list this node');
    const endpoints = promotionEndpoints(members, others, own);
    await tryEndpoints(access, endpoints, (client) =>
      retryShortly(timers, attempt, ['learner-not-ready'], () => client.promote(step.id, options)),
    );
    log.info('etcd of this node has a vote');
  });
}

/** Retries `act` for a short time while it fails for one of these reasons. */
async function retryShortly<T>(
  timers: Timers,
  signal: AbortSignal,
  retryable: readonly EtcdReason[],
  act: () => Promise<T>,
): Promise<T> {
  const { etcdReasonOf } = await import('@nodewright/etcd');
  const untilMs = timers.monotonicMs() + shortWait.totalMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const reason = etcdReasonOf(error);
      if (reason === undefined || !retryable.includes(reason) || timers.monotonicMs() >= untilMs) throw error;
      await pauseBy(timers, shortWait.unitMs, signal);
      if (signal.aborted) throw error;
    }
  }
}

/**
 * Calls `act` on each endpoint in order until one succeeds.
 *
 * @throws Fault with all failures when none does
 */
async function tryEndpoints<T>(
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
      if (error instanceof LivingNamesake) throw error;
      reasons.push(faultFrom(error).message);
    }
  }
  throw new Fault('unavailable', `every etcd endpoint failed: ${reasons.join('; ')}`);
}
