// Source: Talos v1.14: COSI resources, k8s.
import type { ResourceKind } from '../../meta/define-kind.ts';
import { etcdEncryptionConfigs } from './encryption.ts';
import { kubePrismConfigs, kubePrismEndpoints, kubePrismStatuses } from './kube-prism.ts';
import {
  kubeletConfigs,
  kubeletKubeconfigs,
  kubeletLifecycles,
  kubeletSpecs,
  kubeletStatuses,
} from './kubelet.ts';
import {
  nodeAnnotationSpecs,
  nodeCordonedSpecs,
  nodeIpConfigs,
  nodeIps,
  nodeLabelSpecs,
  nodenames,
  nodeStatuses,
  nodeTaintSpecs,
} from './nodes.ts';
import { staticPodServerStatuses, staticPodStatuses, staticPods } from './static-pods.ts';

export type * from './arg-values.ts';
export * from './encryption.ts';
export * from './kube-prism.ts';
export * from './kubelet.ts';
export * from './nodes.ts';
export * from './static-pods.ts';

export const k8sKinds: readonly ResourceKind[] = [
  kubePrismEndpoints,
  etcdEncryptionConfigs,
  kubeletConfigs,
  kubeletKubeconfigs,
  kubeletLifecycles,
  kubeletSpecs,
  kubeletStatuses,
  kubePrismConfigs,
  kubePrismStatuses,
  nodeAnnotationSpecs,
  nodeCordonedSpecs,
  nodeIps,
  nodeIpConfigs,
  nodeLabelSpecs,
  nodenames,
  nodeStatuses,
  nodeTaintSpecs,
  staticPods,
  staticPodServerStatuses,
  staticPodStatuses,
];
