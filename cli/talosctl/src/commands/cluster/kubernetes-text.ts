import type { ClusterView, RunningKubernetes } from '@nodewright/provision';

const nodesText = (count: number) => (count === 1 ? '1 node' : `${count} nodes`);

/** How to use the Kubernetes of a cluster, and what it lacks. Ends with a newline. */
export function kubernetesText(
  { name, provisioner }: Pick<ClusterView, 'name' | 'provisioner'>,
  { version, servers, seconds, workloads, kubeconfig, kubectl }: RunningKubernetes,
): string {
  const who = servers === 1 ? 'its API server is' : `${servers} API servers are`;
  const lines = [
    `cluster "${name}": ${who} ready after ${seconds.toFixed(1)}s, Kubernetes ${version}`,
    ...(provisioner === 'process'
      ? ['nodes of processes run no kubelet and no containers: workloads are accepted and stay pending']
      : []),
    ...(workloads === undefined
      ? []
      : [
          `cluster "${name}": ${nodesText(workloads.nodes)} Ready and its DNS available after ${workloads.seconds.toFixed(1)}s`,
        ]),
    `use it with: KUBECONFIG=${kubeconfig} ${kubectl} get nodes`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}
