// Parts that the workloads of the node's manifests share. Source: Kubernetes: Pod (v1).
import type { JsonObject } from '@nodewright/state';

/** Lets a pod run on every node, whatever its taints. */
export const everyNode: JsonObject[] = [
  { effect: 'NoSchedule', operator: 'Exists' },
  { effect: 'NoExecute', operator: 'Exists' },
];

export interface DaemonSetInit {
  readonly name: string;
  readonly labels: JsonObject;
  readonly annotations?: JsonObject;
  /** Fields of the pod besides those that all daemon sets here have. */
  readonly pod: JsonObject;
}

/** A daemon set in `kube-system` that runs on every node, in the network of the node. */
export function daemonSet({ name, labels, annotations, pod }: DaemonSetInit): JsonObject {
  const app = labels['k8s-app'] ?? name;
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'kube-system', labels },
    spec: {
      selector: { matchLabels: { 'k8s-app': app } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      template: {
        metadata: { labels, ...(annotations && { annotations }) },
        spec: {
          hostNetwork: true,
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          priorityClassName: 'system-node-critical',
          tolerations: everyNode,
          ...pod,
        },
      },
    },
  };
}

/** A variable with the value of a field of the pod. */
export const fieldVariable = (name: string, fieldPath: string): JsonObject => ({
  name,
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
});

/** A folder of the host for a pod. */
export const hostFolder = (name: string, path: string, type?: string): JsonObject => ({
  name,
  hostPath: { path, ...(type && { type }) },
});
