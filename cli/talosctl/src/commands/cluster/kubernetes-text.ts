import type { RunningKubernetes } from '@nodewright/provision';

/** How to use the Kubernetes of a cluster of processes, and what it lacks. Ends with a newline. */
export function kubernetesText(
  cluster: string,
  { version, servers, seconds, kubeconfig, kubectl }: RunningKubernetes,
): string {
  const who = servers === 1 ? 'its API server is' : `${servers} API servers are`;
  const lines = [
    `cluster "${cluster}": ${who} ready after ${seconds.toFixed(1)}s, Kubernetes ${version}`,
    'nodes of processes run no kubelet and no containers: workloads are accepted and stay pending',
    `use it with: KUBECONFIG=${kubeconfig} ${kubectl} get namespaces`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}
