import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, cidr, field, ip, list, text, textMap, unlessEmpty } from '../../spec/field-types.ts';

/** Annotations that the node should have, by key. */
export const nodeAnnotationSpecs = defineKind({
  type: 'NodeAnnotationSpecs.k8s.talos.dev',
  defaultNamespace: 'k8s',
  printColumns: {
    Value: '{.value}',
  },
  isSensitive: true,
  spec: {
    key: field(1, text),
    value: field(2, text),
  },
});
export type NodeAnnotationSpecSpec = SpecOf<typeof nodeAnnotationSpecs>;

/** `cordoned` is there while no pods should come to the node. */
export const nodeCordonedSpecs = defineKind({
  type: 'NodeCordonedSpecs.k8s.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'cordoned',
  isSensitive: true,
  spec: {},
});
export type NodeCordonedSpecSpec = SpecOf<typeof nodeCordonedSpecs>;

/** The addresses that kubelet tells. */
export const nodeIps = defineKind({
  type: 'NodeIPs.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'kubelet',
  spec: {
    /** At most one IPv4 and one IPv6. */
    addresses: field(1, list(ip)),
  },
});
export type NodeIpSpec = SpecOf<typeof nodeIps>;

/** Which addresses kubelet may tell. */
export const nodeIpConfigs = defineKind({
  type: 'NodeIPConfigs.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'kubelet',
  spec: {
    /** Networks with their prefix lengths. */
    validSubnets: unlessEmpty(1, list(text)),
    /** Networks of pods and services, and shared addresses. */
    excludeSubnets: field(2, list(text)),
  },
});
export type NodeIpConfigSpec = SpecOf<typeof nodeIpConfigs>;

/** Labels that the node should have, by key. */
export const nodeLabelSpecs = defineKind({
  type: 'NodeLabelSpecs.k8s.talos.dev',
  defaultNamespace: 'k8s',
  printColumns: {
    Value: '{.value}',
  },
  isSensitive: true,
  spec: {
    key: field(1, text),
    value: field(2, text),
  },
});
export type NodeLabelSpecSpec = SpecOf<typeof nodeLabelSpecs>;

/** How Kubernetes calls the node. */
export const nodenames = defineKind({
  type: 'Nodenames.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'nodename',
  printColumns: {
    Nodename: '{.nodename}',
  },
  spec: {
    /** Kubernetes node name. */
    nodename: field(1, text),
    /** Version of HostnameStatus used. */
    hostnameVersion: field(2, text),
    skipNodeRegistration: field(3, bool),
  },
});
export type NodenameSpec = SpecOf<typeof nodenames>;

/** The node as Kubernetes has it, by its name there. */
export const nodeStatuses = defineKind({
  type: 'NodeStatuses.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  printColumns: {
    Ready: '{.nodeReady}',
    Unschedulable: '{.unschedulable}',
  },
  spec: {
    nodename: field(1, text),
    nodeReady: field(2, bool),
    unschedulable: field(3, bool),
    labels: field(4, textMap),
    annotations: field(5, textMap),
    podCIDRs: field(6, list(cidr)),
  },
});
export type NodeStatusSpec = SpecOf<typeof nodeStatuses>;

/** Taints that the node should have, by key. */
export const nodeTaintSpecs = defineKind({
  type: 'NodeTaintSpecs.k8s.talos.dev',
  defaultNamespace: 'k8s',
  printColumns: {
    Effect: '{.effect}',
    Value: '{.value}',
  },
  isSensitive: true,
  spec: {
    key: field(1, text),
    effect: field(2, text),
    value: field(3, text),
  },
});
export type NodeTaintSpecSpec = SpecOf<typeof nodeTaintSpecs>;
