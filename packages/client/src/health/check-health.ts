import { pause } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import type { NodeClient } from '../node-client.ts';
import { etcdChecks } from './etcd-checks.ts';
import type { CheckOutcome, ClusterNodes, HealthCheck } from './health-check.ts';
import { kubernetesChecks } from './kubernetes-checks.ts';
import { bootCheck, sizeChecks } from './node-checks.ts';
import { serviceCheck } from './service-check.ts';

/** All checks in their order. Source: Talos v1.14: health. */
export const healthChecks: readonly HealthCheck[] = [
  ...etcdChecks,
  ...sizeChecks,
  serviceCheck('kubelet to be healthy', 'kubelet'),
  bootCheck,
  ...kubernetesChecks,
];

export interface CheckHealthInit {
  readonly nodes: ClusterNodes;
  /** How to reach a node by its address. */
  readonly node: (address: string) => NodeClient;
  /** For all checks together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Between two attempts of one check, and the longest that an attempt may take; default 5 s. */
  readonly intervalMs?: number;
  readonly checks?: readonly HealthCheck[];
}

/**
 * Runs the checks one after the other, each until it holds or is skipped, and gives a line for people whenever there
 * is news: `waiting for <check>: ` and `...`, `OK`, `SKIP` or why it does not hold. Ends when all are done; the last
 * lines say in words what was skipped. Source: Talos v1.14: health.
 *
 * @throws Fault `deadline-exceeded` with the check that did not come to hold in time; `cancelled` when `signal` aborts.
 */
export async function* checkHealth(init: CheckHealthInit): AsyncGenerator<string, void, undefined> {
  const { nodes, timeoutMs, signal, checks = healthChecks } = init;
  const all = [...nodes.controlPlanes, ...nodes.workers];
  yield `discovered nodes: [${all.map((address) => JSON.stringify(address)).join(' ')}]`;
  if (nodes.controlPlanes.length === 0) {
    throw new Fault('failed-precondition', 'the cluster has no control plane node');
  }
  const timeout = AbortSignal.timeout(timeoutMs);
  const skipped = new Map<string, string[]>();
  for (const check of checks) {
    const outcome = yield* settle(check, init, AbortSignal.any([signal, timeout]));
    if (outcome.kind !== 'skip') continue;
    skipped.set(outcome.because, [...(skipped.get(outcome.because) ?? []), check.name]);
  }
  for (const [because, names] of skipped) yield `skipped, because ${because}: ${names.join(', ')}`;
}

async function* settle(
  check: HealthCheck,
  { nodes, node, signal, timeoutMs, intervalMs = 5000 }: CheckHealthInit,
  stop: AbortSignal,
): AsyncGenerator<string, CheckOutcome, undefined> {
  const line = (state: string) => `waiting for ${check.name}: ${state}`;
  yield line('...');
  let told: string | undefined;
  for (;;) {
    const startedMs = performance.now();
    try {
      const attempt = AbortSignal.any([stop, AbortSignal.timeout(intervalMs)]);
      const outcome = await check.run({ nodes, node }, attempt);
      yield line(outcome.kind === 'ok' ? 'OK' : 'SKIP');
      return outcome;
    } catch (error) {
      if (signal.aborted) throw new Fault('cancelled', 'the check of the cluster was cancelled');
      const { message } = faultFrom(error);
      // An attempt that ends with the time for all of them tells less than the one before it.
      const why = stop.aborted ? (told ?? 'no answer') : message;
      if (!stop.aborted && why !== told) yield line(why);
      told = why;
    }
    await pause(startedMs + intervalMs - performance.now(), stop);
    if (signal.aborted) throw new Fault('cancelled', 'the check of the cluster was cancelled');
    if (stop.aborted) {
      throw new Fault(
        'deadline-exceeded',
        `the cluster is not healthy after ${timeoutMs / 1000}s of waiting for ${check.name}: ${told}`,
      );
    }
  }
}
