// A cluster of processes with Kubernetes, and kubectl for it.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kubernetesPorts } from '@nodewright/contract';
import { readProcesses } from '@nodewright/linux';
import {
  openProcessCluster,
  type ProcessCluster,
  type ProcessNode,
} from '../cluster/process/process-cluster.ts';
import { checkout } from '../cluster/run-talosctl.ts';

export const kubectlPath = join(checkout, '_out', 'tools', 'kubernetes', 'kubectl');

/** Why the tests cannot run here. They fail where CI is set. */
export const skipWithoutKubernetes = (): string | false =>
  existsSync(kubectlPath) ? false : 'Kubernetes is not built: run make kubernetes';

export const kubernetesTimeoutMs = 180_000;

export function openKubernetesCluster(
  init: Parameters<typeof openProcessCluster>[1] = {},
): Promise<ProcessCluster> {
  return openProcessCluster(
    { controlPlanes: 3, workers: 1 },
    { ...init, etcd: true, flags: ['--kubernetes', ...(init.flags ?? [])], timeoutMs: 300_000 },
  );
}

export interface KubectlInit {
  readonly cluster: ProcessCluster;
  /** Whose API server; by default that of the kubeconfig. */
  readonly server?: ProcessNode;
  readonly input?: string;
}

/** Runs kubectl as an administrator and returns what it printed. Rejects with its error. */
export async function kubectl({ cluster, server, input }: KubectlInit, ...words: string[]): Promise<string> {
  const at = server === undefined ? [] : [`--server=https://${server.address}:${kubernetesPorts.apiServer}`];
  const running = promisify(execFile)(
    kubectlPath,
    [`--cache-dir=${join(cluster.home, 'kubectl-cache')}`, '--request-timeout=20s', ...at, ...words],
    {
      env: {
        PATH: process.env.PATH,
        HOME: cluster.home,
        KUBECONFIG: join(cluster.view.folder, 'kubeconfig'),
      },
    },
  );
  running.child.stdin?.end(input ?? '');
  return (await running).stdout;
}

/** The process of a component on a node; `undefined` when none runs. */
export async function processOf({ root }: ProcessNode, component: string) {
  const processes = await readProcesses({ pageSizeBytes: 4096 });
  return processes.find(({ args }) => args.includes(`/${component} `) && args.includes(`${root}/`));
}
