import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, cidr, field, ip, list, text, textMap, unlessEmpty } from '../../spec/field-types.ts';

/** Desired annotations of the Kubernetes node, by key. */
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

/** `cordoned` exists while the Kubernetes node must be unschedulable. */
export const nodeCordonedSpecs = defineKind({
  type: 'NodeCordonedSpecs.k8s.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'cordoned',
  isSensitive: true,
  spec: {},
});
export type NodeCordonedSpecSpec = SpecOf<typeof nodeCordonedSpecs>;

/** Addresses of the node that the kubelet reports. */
export const nodeIps = defineKind({
  type: 'NodeIPs.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'kubelet',
  spec: {
    /** At most one IPv4 and one IPv6 address. */
    addresses: field(1, list(ip)),
  },
});
export type NodeIpSpec = SpecOf<typeof nodeIps>;

/** Subnets from which the node addresses are chosen. */
export const nodeIpConfigs = defineKind({
  type: 'NodeIPConfigs.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'kubelet',
  spec: {
    /** CIDR subnets. */
    validSubnets: unlessEmpty(1, list(text)),
    /** CIDR subnets of pods and services, and virtual IPs. */
    excludeSubnets: field(2, list(text)),
  },
});
export type NodeIpConfigSpec = SpecOf<typeof nodeIpConfigs>;

/** Desired labels of the Kubernetes node, by key. */
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

/** The name of this node in Kubernetes. */
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
    /** Version of the HostnameStatus from which the name was derived. */
    hostnameVersion: field(2, text),
    skipNodeRegistration: field(3, bool),
  },
});
export type NodenameSpec = SpecOf<typeof nodenames>;

/** Status of the node in Kubernetes, by node name. */
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

/** Desired taints of the Kubernetes node, by key. */
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
