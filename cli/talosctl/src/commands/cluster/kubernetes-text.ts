import type { ClusterView, RunningKubernetes } from '@nodewright/provision';

/** How to use the Kubernetes of a cluster, and what it lacks. Ends with a newline. */
export function kubernetesText(
  { name, provisioner }: Pick<ClusterView, 'name' | 'provisioner'>,
  { version, servers, seconds, kubeconfig, kubectl }: RunningKubernetes,
): string {
  const who = servers === 1 ? 'its API server is' : `${servers} API servers are`;
  const lines = [
    `cluster "${name}": ${who} ready after ${seconds.toFixed(1)}s, Kubernetes ${version}`,
    provisioner === 'process'
      ? 'nodes of processes run no kubelet and no containers: workloads are accepted and stay pending'
      : 'nodes have no network for pods of their own yet: they become Ready with a configuration of CNI in /etc/cni/net.d',
    `use it with: KUBECONFIG=${kubeconfig} ${kubectl} get nodes`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}
