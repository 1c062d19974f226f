import { isDeepStrictEqual } from 'node:util';
import { anySignal, Deadline, pause } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { readKubeconfig } from '../kubeconfig/read-kubeconfig.ts';
import type { NodeClient } from '../node-client.ts';
import { etcdChecks, hostsOf, membersOf } from './etcd-checks.ts';
import {
  type CheckedCluster,
  type CheckOutcome,
  type ClusterNodes,
  everyAddress,
  type HealthCheck,
} from './health-check.ts';
import { KubernetesAccess } from './kubernetes-access.ts';
import { kubernetesChecks } from './kubernetes-checks.ts';
import { bootCheck, sizeChecks } from './node-checks.ts';
import { serviceCheck } from './service-check.ts';

/** All checks, in the order in which they run. Source: Talos v1.14: health. */
export const healthChecks: readonly HealthCheck[] = [
  ...etcdChecks,
  ...sizeChecks,
  serviceCheck('kubelet to be healthy', 'kubelet'),
  bootCheck,
  ...kubernetesChecks,
];

export interface CheckHealthInit {
  readonly nodes: ClusterNodes;
  /**
   * Reads the nodes of the cluster again; not given when the caller names them. It is asked after each attempt that failed: after a
   * restore from a snapshot the records of control planes that are gone stay until they expire. A node that is no longer listed is
   * still expected, because a dead one is not listed either, unless it is a control plane that is no member of etcd.
   */
  readonly rediscover?: ((signal: AbortSignal) => Promise<ClusterNodes>) | undefined;
  /** Returns a client for the node at an address. */
  readonly node: (address: string) => NodeClient;
  /** The time limit for all checks together. */
  readonly timeoutMs: number;
  /** How much of it is over already, in milliseconds, because the nodes were looked up before; default 0. */
  readonly spentMs?: number;
  readonly signal: AbortSignal;
  /** The interval between two attempts of one check, and the time limit of an attempt; default 5 s. */
  readonly intervalMs?: number;
  readonly checks?: readonly HealthCheck[];
  /**
   * Returns a kubeconfig with a client certificate; by default one for an administrator, which the first control plane issues.
   *
   * @throws Fault `failed-precondition` without Kubernetes, `permission-denied` when the caller may not use it: the checks that need
   * it are skipped
   */
  readonly kubeconfig?: (signal: AbortSignal) => Promise<string>;
  /** URL of an API server, instead of that of the kubeconfig. */
  readonly kubernetesEndpoint?: string | undefined;
}

/**
 * Runs the checks one after the other. Each is repeated until it passes or is skipped. Yields a line of text
 * whenever the state of a check changes: `waiting for <check>: ` followed by `...`, `OK`, `SKIP` or the
 * problem. The last lines list the skipped checks with the reason. Source: Talos v1.14: health.
 *
 * When the nodes of the cluster change meanwhile, it lists them and begins with the first check again.
 *
 * @throws Fault `deadline-exceeded` with the check that did not pass in time; `cancelled` when `signal`
 * aborts.
 */
export async function* checkHealth(init: CheckHealthInit): AsyncGenerator<string, void, undefined> {
  const { timeoutMs, spentMs = 0, signal } = init;
  using deadline = new Deadline(timeoutMs - spentMs, signal);
  let { nodes } = init;
  let access: KubernetesAccess | undefined;
  try {
    for (;;) {
      yield `discovered nodes: [${everyAddress(nodes)
        .map((address) => JSON.stringify(address))
        .join(' ')}]`;
      const [firstControlPlane] = nodes.controlPlanes;
      if (firstControlPlane === undefined) {
        throw new Fault('failed-precondition', 'the cluster has no control plane node');
      }
      access?.[Symbol.dispose]();
      const opened = new KubernetesAccess({
        kubeconfig: init.kubeconfig ?? ((attempt) => readKubeconfig(init.node(firstControlPlane), attempt)),
        server: init.kubernetesEndpoint,
      });
      access = opened;
      const cluster = { nodes, node: init.node, kubernetes: (attempt: AbortSignal) => opened.open(attempt) };
      const changed = yield* runChecks({ ...init, cluster }, deadline.signal);
      if (changed === undefined) return;
      nodes = changed;
    }
  } finally {
    access?.[Symbol.dispose]();
  }
}

type CheckRunInit = CheckHealthInit & { readonly cluster: CheckedCluster };

/** Returns the nodes of the cluster when they are others than before: the checks did not come to their end then. */
async function* runChecks(
  init: CheckRunInit,
  stop: AbortSignal,
): AsyncGenerator<string, ClusterNodes | undefined, undefined> {
  const skipped = new Map<string, string[]>();
  for (const check of init.checks ?? healthChecks) {
    const outcome = yield* settle(check, init, stop);
    if (outcome.kind === 'changed') return outcome.nodes;
    if (outcome.kind !== 'skip') continue;
    skipped.set(outcome.because, [...(skipped.get(outcome.because) ?? []), check.name]);
  }
  for (const [because, names] of skipped) yield `skipped, because ${because}: ${names.join(', ')}`;
  return undefined;
}

async function* settle(
  check: HealthCheck,
  { cluster, signal, timeoutMs, intervalMs = 5000, rediscover }: CheckRunInit,
  stop: AbortSignal,
): AsyncGenerator<
  string,
  CheckOutcome | { readonly kind: 'changed'; readonly nodes: ClusterNodes },
  undefined
> {
  const line = (state: string) => `waiting for ${check.name}: ${state}`;
  yield line('...');
  let problem: string | undefined;
  for (;;) {
    const startedMs = performance.now();
    try {
      const outcome = await runInTime(check, cluster, intervalMs, stop);
      yield line(outcome.kind === 'ok' ? 'OK' : 'SKIP');
      return outcome;
    } catch (error) {
      if (signal.aborted) throw new Fault('cancelled', 'the check of the cluster was cancelled');
      const { message } = faultFrom(error);
      // An attempt that the overall deadline cuts short has no useful error: report the one before it.
      const latest = stop.aborted ? (problem ?? 'no answer') : message;
      if (!stop.aborted && latest !== problem) yield line(latest);
      problem = latest;
    }
    const nodes = rediscover && (await otherNodes(cluster, rediscover, intervalMs, stop));
    await pause(startedMs + intervalMs - performance.now(), stop);
    if (nodes !== undefined && !stop.aborted) return { kind: 'changed', nodes };
    if (signal.aborted) throw new Fault('cancelled', 'the check of the cluster was cancelled');
    if (stop.aborted) {
      throw new Fault(
        'deadline-exceeded',
        `the cluster is not healthy after ${timeoutMs / 1000}s of waiting for ${check.name}: ${problem}`,
      );
    }
  }
}

/** The nodes that are expected from now on; `undefined` when they are the same, or nobody can list them. */
async function otherNodes(
  cluster: CheckedCluster,
  rediscover: (signal: AbortSignal) => Promise<ClusterNodes>,
  timeoutMs: number,
  stop: AbortSignal,
): Promise<ClusterNodes | undefined> {
  using attempt = new Deadline(timeoutMs, stop);
  // The answer is waited for by its signal: every caller passes it on to the call.
  const listed = await rediscover(attempt.signal).catch(() => undefined);
  const [first] = listed?.controlPlanes ?? [];
  if (listed === undefined || first === undefined) return undefined;
  const before = cluster.nodes;
  const isGone = (address: string) => !everyAddress(listed).includes(address);
  const missing = before.controlPlanes.filter(isGone);
  const hosts = missing.length > 0 ? await hostsOfEtcd(cluster.node(first), attempt.signal) : [];
  const nodes = {
    controlPlanes: [
      ...listed.controlPlanes,
      ...missing.filter((address) => hosts === undefined || hosts.includes(address)),
    ],
    workers: [...listed.workers, ...before.workers.filter(isGone)],
  };
  return isDeepStrictEqual(sorted(nodes), sorted(before)) ? undefined : nodes;
}

/** The addresses of the members of etcd; `undefined` when nobody says who they are. */
async function hostsOfEtcd(node: NodeClient, signal: AbortSignal): Promise<readonly string[] | undefined> {
  const members = await membersOf(node, signal).catch(() => undefined);
  return members && hostsOf(members);
}

const sorted = ({ controlPlanes, workers }: ClusterNodes): ClusterNodes => ({
  controlPlanes: controlPlanes.toSorted(),
  workers: workers.toSorted(),
});

/** How long an attempt may take to end after its time: its own error says more, such as which node did not answer. */
const endingMs = 1_000;

/** One attempt. It ends in time also when a call of the check does not end with its signal. */
async function runInTime(
  check: HealthCheck,
  cluster: CheckedCluster,
  timeoutMs: number,
  stop: AbortSignal,
): Promise<CheckOutcome> {
  using attempt = new Deadline(timeoutMs, stop);
  const ended = new AbortController();
  const late = async (): Promise<never> => {
    await pause(timeoutMs, anySignal(stop, ended.signal));
    await pause(endingMs, ended.signal);
    throw new Fault('deadline-exceeded', `no answer within ${timeoutMs / 1000}s`);
  };
  try {
    return await Promise.race([check.run(cluster, attempt.signal), late()]);
  } finally {
    ended.abort();
  }
}
