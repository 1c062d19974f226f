import { Fault } from '@nodewright/fault';
import { type KubeMetadata, type KubeNodes, openKubeNodes } from '../kube-nodes/index.ts';
import { answeredObject } from '../kubeconfig/kubernetes-answer.ts';
import type { KubernetesApi } from '../kubeconfig/kubernetes-api.ts';

/** A DaemonSet or a Deployment, with how many of its pods are ready. */
export interface Workload {
  readonly name: string;
  readonly wanted: number;
  readonly ready: number;
}

/** What the checks ask Kubernetes. */
export interface KubernetesView extends Pick<KubeNodes, 'list' | 'podsWith'> {
  /** In the namespace kube-system. */
  workloads(kind: 'daemonsets' | 'deployments', label: string): Promise<readonly Workload[]>;
}

interface WorkloadObject {
  readonly metadata?: KubeMetadata;
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly desiredNumberScheduled?: number;
    readonly numberReady?: number;
    readonly readyReplicas?: number;
  };
}

/** Source: Kubernetes: DaemonSet and Deployment (apps/v1). */
export function openKubernetesView(
  api: Pick<KubernetesApi, 'send' | 'lines'>,
  signal: AbortSignal,
): KubernetesView {
  const nodes = openKubeNodes({ api, signal });
  return {
    list: () => nodes.list(),
    podsWith: (namespace, label) => nodes.podsWith(namespace, label),
    async workloads(kind, label) {
      const path = `/apis/apps/v1/namespaces/kube-system/${kind}?labelSelector=${encodeURIComponent(label)}`;
      const { items } = answeredObject(await api.send({ method: 'GET', path, signal }), 200);
      if (!Array.isArray(items)) throw new Fault('data-loss', `the API server sent no list of ${kind}`);
      return (items as readonly WorkloadObject[]).map(({ metadata, spec, status }) => ({
        name: metadata?.name ?? '',
        wanted: kind === 'daemonsets' ? (status?.desiredNumberScheduled ?? 0) : (spec?.replicas ?? 1),
        ready: (kind === 'daemonsets' ? status?.numberReady : status?.readyReplicas) ?? 0,
      }));
    },
  };
}
