import type { KubernetesState } from '../../../protocol/messages.ts';

const kubelet = 'kubelet';

/** Whether nothing of Kubernetes runs on the node. */
export const hasNoKubernetes = ({ node, pods }: KubernetesState, services: readonly string[]): boolean =>
  node === null && pods?.length === 0 && !services.includes(kubelet);

/** Why Kubernetes does not know the node. */
export function whyNoNode({ pods }: KubernetesState, services: readonly string[]): string {
  if (services.includes(kubelet)) return 'its kubelet has not registered it yet';
  return pods !== undefined && pods.length > 0
    ? 'no kubelet runs here: the control plane of Kubernetes runs as processes'
    : 'no kubelet runs here';
}
