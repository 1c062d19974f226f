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

/** What a check has found, without the time. */
export interface CheckOutcome {
  readonly name: string;
  readonly state: 'passed' | 'skipped' | 'failed';
  readonly reason?: string;
}

/** The checks of a cluster, for as long as somebody looks. */
export interface ClusterChecks extends Disposable {
  /** Runs all checks at once. @throws Fault when no node says which nodes the cluster has */
  run(signal: AbortSignal): Promise<readonly CheckOutcome[]>;
}

export interface OpenChecksInit {
  readonly client: TalosClient;
  readonly nodes: readonly NodeClient[];
}

/** Of one check. */
const checkMs = 5000;

/** Opens the checks of `talosctl health`. They use one kubeconfig until they are closed: each is a certificate of an administrator. */
export function openChecks({ client, nodes }: OpenChecksInit): ClusterChecks {
  let firstControlPlane = '';
  const access = new KubernetesAccess({
    kubeconfig: (attempt) => readKubeconfig(client.node(firstControlPlane), attempt),
  });
  return {
    async run(signal) {
      const found = await discover(nodes, signal);
      firstControlPlane = found.controlPlanes[0] ?? '';
      return Promise.all(
        healthChecks.map((check) => runCheck(check, { client, nodes: found, access }, signal)),
      );
    },
    [Symbol.dispose]: () => access[Symbol.dispose](),
  };
}

/** Asks one node after the other, because any of them may be away. */
async function discover(nodes: readonly NodeClient[], signal: AbortSignal): Promise<ClusterNodes> {
  let failure: unknown;
  for (const node of nodes) {
    try {
      return await discoverNodes(node, AbortSignal.any([signal, AbortSignal.timeout(checkMs)]));
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

interface CheckedCluster {
  readonly client: TalosClient;
  readonly nodes: ClusterNodes;
  readonly access: KubernetesAccess;
}

async function runCheck(
  { name, run }: HealthCheck,
  { client, nodes, access }: CheckedCluster,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const timely = AbortSignal.any([signal, AbortSignal.timeout(checkMs)]);
  const cluster = {
    nodes,
    node: (address: string) => client.node(address),
    kubernetes: (attempt: AbortSignal) => access.open(attempt),
  };
  try {
    const outcome = await run(cluster, timely);
    return outcome.kind === 'ok'
      ? { name, state: 'passed' }
      : { name, state: 'skipped', reason: outcome.because };
  } catch (error) {
    const { message } = faultFrom(error);
    const reason = timely.aborted ? `no answer within ${checkMs / 1000}s` : plainError(message);
    return { name, state: 'failed', reason };
  }
}
