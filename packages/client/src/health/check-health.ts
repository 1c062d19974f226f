import { anySignal, Deadline, pause } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { readKubeconfig } from '../kubeconfig/read-kubeconfig.ts';
import type { NodeClient } from '../node-client.ts';
import { etcdChecks } from './etcd-checks.ts';
import type { CheckedCluster, CheckOutcome, ClusterNodes, HealthCheck } from './health-check.ts';
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
  /** Returns a client for the node at an address. */
  readonly node: (address: string) => NodeClient;
  /** The time limit for all checks together. */
  readonly timeoutMs: number;
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
 * @throws Fault `deadline-exceeded` with the check that did not pass in time; `cancelled` when `signal`
 * aborts.
 */
export async function* checkHealth(init: CheckHealthInit): AsyncGenerator<string, void, undefined> {
  const { nodes, timeoutMs, signal, checks = healthChecks } = init;
  const all = [...nodes.controlPlanes, ...nodes.workers];
  yield `discovered nodes: [${all.map((address) => JSON.stringify(address)).join(' ')}]`;
  if (nodes.controlPlanes.length === 0) {
    throw new Fault('failed-precondition', 'the cluster has no control plane node');
  }
  using deadline = new Deadline(timeoutMs, signal);
  const skipped = new Map<string, string[]>();
  using access = new KubernetesAccess({
    kubeconfig:
      init.kubeconfig ?? ((attempt) => readKubeconfig(init.node(nodes.controlPlanes[0] ?? ''), attempt)),
    server: init.kubernetesEndpoint,
  });
  const cluster: CheckedCluster = {
    ...{ nodes, node: init.node },
    kubernetes: (attempt) => access.open(attempt),
  };
  for (const check of checks) {
    const outcome = yield* settle(check, { ...init, cluster }, deadline.signal);
    if (outcome.kind !== 'skip') continue;
    skipped.set(outcome.because, [...(skipped.get(outcome.because) ?? []), check.name]);
  }
  for (const [because, names] of skipped) yield `skipped, because ${because}: ${names.join(', ')}`;
}

async function* settle(
  check: HealthCheck,
  { cluster, signal, timeoutMs, intervalMs = 5000 }: CheckHealthInit & { readonly cluster: CheckedCluster },
  stop: AbortSignal,
): AsyncGenerator<string, CheckOutcome, undefined> {
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
    await pause(startedMs + intervalMs - performance.now(), stop);
    if (signal.aborted) throw new Fault('cancelled', 'the check of the cluster was cancelled');
    if (stop.aborted) {
      throw new Fault(
        'deadline-exceeded',
        `the cluster is not healthy after ${timeoutMs / 1000}s of waiting for ${check.name}: ${problem}`,
      );
    }
  }
}

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
