import { pause } from '@nodewright/async';
import type { NodeClient, TalosClient } from '@nodewright/client';
import {
  type ClusterNodes,
  discoverNodes,
  type HealthCheck,
  healthChecks,
  KubernetesAccess,
} from '@nodewright/client/health';
import { readKubeconfig } from '@nodewright/client/kubeconfig';
import { faultFrom } from '@nodewright/fault';
import { plainError } from '../../render/plain-error.ts';
import type { CheckState } from '../protocol/messages.ts';

export interface HealthWatchInit {
  readonly client: TalosClient;
  readonly nodes: readonly NodeClient[];
  readonly now: () => Date;
  readonly intervalMs: number;
  /** @param problem why the checks could not be run */
  readonly onHealth: (checks: readonly CheckState[], problem: string | undefined) => void;
}

/** Of one check. */
const checkMs = 5000;

/** Runs the checks of `talosctl health` again and again, all at once, while somebody looks. */
export class HealthWatch {
  readonly #init: HealthWatchInit;
  #stop: AbortController | undefined;
  #checks: readonly CheckState[] = [];
  #problem: string | undefined;

  constructor(init: HealthWatchInit) {
    this.#init = init;
  }

  get checks(): readonly CheckState[] {
    return this.#checks;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  start(): void {
    if (this.#stop !== undefined) return;
    this.#stop = new AbortController();
    void this.#run(this.#stop.signal);
  }

  stop(): void {
    this.#stop?.abort();
    this.#stop = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { client, intervalMs, onHealth } = this.#init;
    let firstControlPlane = '';
    // One kubeconfig for as long as somebody looks: each is a certificate of an administrator.
    using access = new KubernetesAccess({
      kubeconfig: (attempt) => readKubeconfig(client.node(firstControlPlane), attempt),
    });
    while (!signal.aborted) {
      try {
        const nodes = await this.#discover(signal);
        firstControlPlane = nodes.controlPlanes[0] ?? '';
        const checks = await Promise.all(
          healthChecks.map((check) => this.#check(check, { nodes, access }, signal)),
        );
        if (signal.aborted) return;
        this.#checks = checks;
        this.#problem = undefined;
      } catch (error) {
        if (signal.aborted) return;
        this.#problem = plainError(faultFrom(error).message);
      }
      onHealth(this.#checks, this.#problem);
      await pause(intervalMs, signal);
    }
  }

  /** Asks one node after the other, because any of them may be away. */
  async #discover(signal: AbortSignal): Promise<ClusterNodes> {
    let failure: unknown;
    for (const node of this.#init.nodes) {
      try {
        return await discoverNodes(node, AbortSignal.any([signal, AbortSignal.timeout(checkMs)]));
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure;
  }

  async #check(
    check: HealthCheck,
    { nodes, access }: { readonly nodes: ClusterNodes; readonly access: KubernetesAccess },
    signal: AbortSignal,
  ): Promise<CheckState> {
    const timely = AbortSignal.any([signal, AbortSignal.timeout(checkMs)]);
    const cluster = {
      nodes,
      node: (address: string) => this.#init.client.node(address),
      kubernetes: (attempt: AbortSignal) => access.open(attempt),
    };
    try {
      const outcome = await check.run(cluster, timely);
      return outcome.kind === 'ok'
        ? this.#state(check.name, 'passed')
        : this.#state(check.name, 'skipped', outcome.because);
    } catch (error) {
      const { message } = faultFrom(error);
      const reason = timely.aborted ? `no answer within ${checkMs / 1000}s` : plainError(message);
      return this.#state(check.name, 'failed', reason);
    }
  }

  #state(name: string, state: CheckState['state'], reason?: string): CheckState {
    const before = this.#checks.find((check) => check.name === name);
    const sinceMs = before?.state === state ? before.sinceMs : this.#init.now().getTime();
    return { name, state, reason, sinceMs };
  }
}
