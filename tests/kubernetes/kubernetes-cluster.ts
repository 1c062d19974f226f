// Clusters with Kubernetes, of processes and of containers, and kubectl for them.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kubernetesNodeImage } from '@nodewright/build';
import { kubernetesPorts } from '@nodewright/contract';
import { readProcesses } from '@nodewright/linux';
import { tryDocker } from '@nodewright/provision/engine';
import type { ClusterShape, Node } from '../cluster/cluster.ts';
import type { CreatedCluster } from '../cluster/created-cluster.ts';
import { type DockerCluster, openDockerCluster } from '../cluster/docker/docker-cluster.ts';
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

/** Why tests of nodes with a kubelet cannot run here. They fail where CI is set. */
export async function skipWithoutKubelets(): Promise<string | false> {
  const { code } = await tryDocker(['image', 'inspect', kubernetesNodeImage]);
  if (code !== 0) return `the image ${kubernetesNodeImage} is not there: make test-kubelet`;
  return skipWithoutKubernetes();
}

/** A cluster of containers whose nodes are Ready. */
export function openKubeletCluster(shape: ClusterShape): Promise<DockerCluster> {
  return openDockerCluster(shape, {
    flags: ['--node-image', kubernetesNodeImage, '--kubernetes'],
    timeoutMs: 480_000,
  });
}

/** The environment and the first flags of kubectl, as an administrator of a cluster. */
export function kubectlFor({ home, view }: Pick<CreatedCluster<Node>, 'home' | 'view'>) {
  return {
    flags: [`--cache-dir=${join(home, 'kubectl-cache')}`, '--request-timeout=20s'],
    env: { PATH: process.env.PATH, HOME: home, KUBECONFIG: join(view.folder, 'kubeconfig') },
  };
}

export interface KubectlInit {
  readonly cluster: Pick<CreatedCluster<Node>, 'home' | 'view'>;
  /** Whose API server; by default that of the kubeconfig. */
  readonly server?: ProcessNode;
  readonly input?: string;
}

/** Runs kubectl as an administrator and returns what it printed. Rejects with its error. */
export async function kubectl({ cluster, server, input }: KubectlInit, ...words: string[]): Promise<string> {
  const at = server === undefined ? [] : [`--server=https://${server.address}:${kubernetesPorts.apiServer}`];
  const { flags, env } = kubectlFor(cluster);
  const running = promisify(execFile)(kubectlPath, [...flags, ...at, ...words], { env });
  running.child.stdin?.end(input ?? '');
  return (await running).stdout;
}

/** The process of a component on a node; `undefined` when none runs. */
export async function processOf({ root }: ProcessNode, component: string) {
  const processes = await readProcesses({ pageSizeBytes: 4096 });
  return processes.find(({ args }) => args.includes(`/${component} `) && args.includes(`${root}/`));
}
