import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import { type ApiAnswer, dnsProblem, nodesProblem } from '../domain/workload-state.ts';
import { attempts } from './attempts.ts';
import type { Creation } from './creation.ts';
import type { KubernetesProbe } from './kubernetes-probe.ts';

export interface ClusterWorkloads {
  readonly creation: Pick<Creation, 'progress' | 'signal' | 'milestones'>;
  readonly probe: KubernetesProbe;
  readonly kubeconfig: string;
  /** URL of an API server that is ready. */
  readonly server: string;
  /** Names of the nodes. */
  readonly nodes: readonly string[];
  /** In ms, between two calls; by default one that does not burden API servers that have just started. */
  readonly pollMs?: number;
  /** In ms, for each step; by default what containers need. */
  readonly timeoutMs?: number | undefined;
}

/** Allows for a slow machine: four nodes on two idle cores need half a minute after the API servers are ready. */
const readyTimeoutMs = 300_000;

const paths = {
  nodes: '/api/v1/nodes',
  flannel: '/apis/apps/v1/namespaces/kube-system/daemonsets/kube-flannel',
  dns: '/apis/apps/v1/namespaces/kube-system/deployments/coredns',
  /** An object of the last one of the bootstrap manifests. */
  lastManifest: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:talos-nodes',
} as const;

/**
 * Resolves when all nodes are Ready and the DNS of the cluster is available. A cluster whose configuration has no network of its
 * own waits for nothing: its nodes are Ready only once the user has installed a network. Nor does it wait for a DNS that is
 * switched off.
 *
 * @throws Fault `deadline-exceeded` with the reason
 */
export async function awaitWorkloads(init: ClusterWorkloads): Promise<void> {
  const { creation, probe, kubeconfig, server, nodes, pollMs = 500, timeoutMs = readyTimeoutMs } = init;
  const { progress, signal, milestones } = creation;
  const deadline = AbortSignal.timeout(timeoutMs);
  const get = (path: string, attempt: AbortSignal) => probe.get(kubeconfig, server, path, attempt);
  const until = async (isOver: (attempt: AbortSignal) => Promise<boolean>) => {
    const outcome = await attempts(signal, deadline, async (attempt) => {
      if (await isOver(attempt)) return true;
      await sleep(pollMs, undefined, { signal });
      return false;
    });
    return outcome.done ? undefined : outcome.reason;
  };
  const untilFine = async (path: string, problemOf: (answer: ApiAnswer) => string | undefined) => {
    let problem: string | undefined = 'no answer yet';
    const reason = await until(async (attempt) => {
      problem = problemOf(await get(path, attempt));
      return problem === undefined;
    });
    if (reason !== undefined) throw new Fault('deadline-exceeded', problem ?? reason);
  };

  const reason = await progress.step('bootstrap manifests', () =>
    until(async (attempt) => (await get(paths.lastManifest, attempt)).status === 200),
  );
  if (reason !== undefined)
    throw new Fault('deadline-exceeded', `the bootstrap manifests are not applied: ${reason}`);
  if ((await get(paths.flannel, signal)).status === 404) {
    progress.note('the configuration has no network for pods: nodes become Ready when one is installed');
    return;
  }
  await progress.step(`${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'} Ready`, () =>
    untilFine(paths.nodes, (answer) => nodesProblem(nodes, answer)),
  );
  if ((await get(paths.dns, signal)).status !== 404)
    await progress.step('cluster DNS', () => untilFine(paths.dns, dnsProblem));
  milestones.workloads = { nodes: nodes.length, at: performance.now() };
}
