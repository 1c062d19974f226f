// Replaces the API servers of a cluster one at a time, and only while all others are ready.
import { Deadline, pauseBy, type Timers } from '@nodewright/async';
import type { PostponedRestart, RestartRequest } from '@nodewright/controllers';
import type { EtcdClient } from '@nodewright/etcd';
import { faultFrom } from '@nodewright/fault';
import { actInTurn, type Turn, type TurnOutcome, takeTurn } from '@nodewright/rollout';
import type { HealthResult } from '@nodewright/services';
import type { Logger } from '@nodewright/telemetry';
import type { PodProblem } from '../domain/pod-status.ts';

/** The API server of another control plane. */
export interface OtherServer {
  /** Host name of its node. */
  readonly node: string;
  /** Its addresses, without those that this node has, too. */
  readonly hosts: readonly string[];
  readonly port: number;
}

export interface ReplaceInTurnInit {
  /** Connects to etcd of the cluster. */
  readonly openEtcd: () => Promise<EtcdClient>;
  readonly others: () => Promise<readonly OtherServer[]>;
  /** Names of control planes that are not among the others, and may run an API server all the same, of those that vote in etcd. */
  readonly absent: (voters: readonly string[]) => Promise<readonly string[]>;
  readonly checkOther: (server: OtherServer, timeoutMs: number) => Promise<HealthResult>;
  /** Whether the API server of this node is ready. */
  readonly checkOwn: (timeoutMs: number) => Promise<HealthResult>;
  /** Why an API server of this node that is ready cannot be replaced now; by default it always can. */
  readonly obstacle?: () => Promise<string | undefined>;
  /** Whether the program that replaces the API server is away at the moment; by default it never is. */
  readonly isReplacerAway?: () => Promise<boolean>;
  /** Stops the API server of this node and starts it with the current settings. */
  readonly replace: () => Promise<void>;
  /** Receives why the API server is not up to date or not ready; `undefined` when it is both. */
  readonly report: (problem: PodProblem | undefined) => void;
  readonly timers: Timers;
  readonly log: Logger;
}

/** The prefix of the lock keys in etcd. */
export const replaceLockName = 'nodewright/replace-kube-apiserver';
/** How long the lock stays when its holder has died. */
const lockTtlSeconds = 30;
/** How long to queue for the lock before the reason is reported. */
const lockTimeoutMs = 30_000;
/** An API server with valid settings is ready within this time. */
export const readyTimeoutMs = 120_000;
/** A kubelet of another version is downloaded and runs within this time. Until then the earlier API server may still answer. */
export const awayTimeoutMs = 900_000;
const checkTimeoutMs = 5_000;
/** A server that fails so many checks in a row is not ready. One that is only slow passes one of them. */
const ownChecks = 3;
const ownPauseMs = 2_000;
const pollMs = 500;
const retryAfterMs = 5_000;
const noTurn = 'another control plane replaces its kube-apiserver, or etcd has no leader';

/**
 * Replaces the API server of this node when the cluster does not need it: under a lock in etcd, and while all other API servers are
 * ready. The lock is held until the new one is ready, at most two minutes, and longer while the kubelet is away. One that does not become
 * ready stops the others from following, because it is not ready when they look. An API server that is not ready itself is replaced in
 * any case, so that a corrected configuration takes effect.
 *
 * @returns why the replacement is postponed; `undefined` when it is done or not needed
 */
export async function replaceInTurn(
  init: ReplaceInTurnInit,
  { signal, isNeeded }: RestartRequest,
): Promise<PostponedRestart | undefined> {
  const { openEtcd, replace, report, timers, log } = init;
  let etcd: EtcdClient | undefined;
  let hasTurn = false;
  const outcome = await actInTurn({
    async takeTurn(scope) {
      const taken = await takeLock(openEtcd, scope, signal);
      etcd = taken?.etcd;
      hasTurn = taken !== undefined;
      return taken?.turn;
    },
    isNeeded,
    async look() {
      if (!(await isOwnReady(init, signal))) return { isWell: false };
      if (etcd === undefined) return { isWell: true, obstacle: noTurn };
      const obstacle = (await init.obstacle?.()) ?? (await problemOfOthers(init, etcd, signal));
      return { isWell: true, obstacle };
    },
    async act() {
      log.info({ hasLock: hasTurn }, 'replacing kube-apiserver with new settings');
      await replace();
    },
    async check() {
      const result = await init.checkOwn(checkTimeoutMs);
      return result.healthy ? { isWell: true } : { isWell: false, reason: result.message };
    },
    isDelayed: async () => (await init.isReplacerAway?.()) ?? false,
    times: { pollMs, limitMs: readyTimeoutMs, delayedLimitMs: awayTimeoutMs },
    ...{ timers, signal },
  });
  return reportOutcome(outcome, report, log);
}

function reportOutcome(
  outcome: TurnOutcome,
  report: ReplaceInTurnInit['report'],
  log: Logger,
): PostponedRestart | undefined {
  if (outcome.kind === 'postponed') {
    report({ kind: 'waits', reason: outcome.reason });
    return { reason: outcome.reason, retryAfterMs };
  }
  if (outcome.kind === 'well') report(undefined);
  if (outcome.kind === 'not-well') {
    const seconds = Math.round(outcome.afterMs / 1000);
    const reason = `not ready ${seconds} s after it was replaced (${outcome.reason}); see: talosctl logs kube-apiserver`;
    report({ kind: 'failed', reason });
    log.error({ reason }, 'kube-apiserver does not become ready after its replacement');
  }
  // When the settings changed again, probably to correct an error, the next pass replaces the server with them.
  return undefined;
}

async function isOwnReady({ checkOwn, timers }: ReplaceInTurnInit, signal: AbortSignal): Promise<boolean> {
  for (let check = 1; ; check += 1) {
    if ((await checkOwn(checkTimeoutMs)).healthy) return true;
    if (check === ownChecks) return false;
    await pauseBy(timers, ownPauseMs, signal);
    signal.throwIfAborted();
  }
}

/** @returns why the others need this API server; `undefined` when they do not */
async function problemOfOthers(
  { others, absent, checkOther }: ReplaceInTurnInit,
  etcd: EtcdClient,
  signal: AbortSignal,
): Promise<string | undefined> {
  const servers = await others();
  const away = await absentVoters(etcd, absent, signal);
  const results = await Promise.all(servers.map((server) => checkOther(server, checkTimeoutMs)));
  const problems = results.flatMap((result, index) =>
    result.healthy ? [] : [`kube-apiserver of ${servers[index]?.node} is not ready (${result.message})`],
  );
  problems.push(...away);
  if (problems.length === 0) return undefined;
  return `${problems.join(', ')}: this node replaces its own only while all others are ready`;
}

/** A control plane that is not seen may be one that is off: that it is missing does not make its API server dispensable. */
async function absentVoters(
  etcd: EtcdClient,
  absent: ReplaceInTurnInit['absent'],
  signal: AbortSignal,
): Promise<string[]> {
  try {
    const members = await etcd.members({ linearizable: true, timeoutMs: checkTimeoutMs, signal });
    const voters = members.filter(({ isLearner }) => !isLearner);
    const unnamed = voters.flatMap(({ id, name }) =>
      name === '' ? [`member ${id.toString(16)} of etcd has never started`] : [],
    );
    const names = voters.map(({ name }) => name).filter((name) => name !== '');
    const away = await absent(names);
    return [...unnamed, ...away.map((name) => `control plane ${name} is in etcd, and is not there`)];
  } catch (error) {
    signal.throwIfAborted();
    return [`etcd does not say which control planes there are (${faultFrom(error).message})`];
  }
}

/** Takes the lock until `scope` ends, with the connection that holds it; `undefined` when it is not available in time. */
async function takeLock(
  openEtcd: () => Promise<EtcdClient>,
  scope: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<{ readonly etcd: EtcdClient; readonly turn: Turn } | undefined> {
  using deadline = new Deadline(lockTimeoutMs, signal);
  try {
    const etcd = scope.use(await openEtcd());
    const asked = { name: replaceLockName, ttlSeconds: lockTtlSeconds, signal: deadline.signal };
    return { etcd, turn: scope.use(await takeTurn(etcd, asked)) };
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
