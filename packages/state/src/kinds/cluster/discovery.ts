import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  bool,
  bytes,
  cidr,
  field,
  ip,
  ipPort,
  list,
  message,
  optional,
  text,
  unlessEmpty,
  type ValueOf,
} from '../../spec/field-types.ts';
import { machineType } from '../machine-type.ts';
import { controlPlane } from './members.ts';

export const kubeSpanAffiliateSpec = message({
  publicKey: field(1, text),
  address: field(2, ip),
  additionalAddresses: field(3, list(cidr)),
  endpoints: field(4, list(ipPort)),
  /** Networks that are not routed to it. */
  excludeAdvertisedNetworks: field(5, list(cidr)),
});
export type KubeSpanAffiliateSpec = ValueOf<typeof kubeSpanAffiliateSpec>;

const serviceEndpoint = message({
  name: field(1, text),
  /** With its port. */
  endpoint: field(2, text),
  /** No TLS. */
  insecure: field(3, bool),
});
export type ServiceEndpoint = ValueOf<typeof serviceEndpoint>;

/**
 * Nodes as discovery knows them, by node id; in `cluster-raw` what each registry says, under `service/<id>`
 * and `k8s/<id>`.
 */
export const affiliates = defineKind({
  type: 'Affiliates.cluster.talos.dev',
  defaultNamespace: 'cluster',
  printColumns: {
    Hostname: '{.hostname}',
    'Machine Type': '{.machineType}',
    Addresses: '{.addresses}',
  },
  spec: {
    nodeId: field(1, text),
    addresses: field(2, list(ip)),
    hostname: field(3, text),
    /** Kubernetes node name, empty when not a member. */
    nodename: unlessEmpty(4, text),
    /** `Talos (vX)`. */
    operatingSystem: field(5, text),
    machineType: field(6, machineType),
    kubespan: unlessEmpty(7, kubeSpanAffiliateSpec),
    /** Set on control planes. */
    controlPlane: unlessEmpty(8, optional(controlPlane)),
  },
});
export type AffiliateSpec = SpecOf<typeof affiliates>;

/** How nodes find each other. It holds a key. */
export const discoveryConfigs = defineKind({
  type: 'DiscoveryConfigs.cluster.talos.dev',
  defaultNamespace: 'config',
  singleton: 'cluster',
  isSensitive: true,
  spec: {
    discoveryEnabled: field(1, bool),
    /** K8s registry on. */
    registryKubernetesEnabled: field(2, bool),
    /** Of the old form. */
    registryServiceEnabled: field(3, bool),
    /** Of the old form. */
    serviceEndpoint: field(4, text),
    /** Of the old form. */
    serviceEndpointInsecure: unlessEmpty(5, bool),
    /** A key of AES. */
    serviceEncryptionKey: field(6, bytes),
    serviceClusterID: field(7, text),
    serviceEndpoints: field(8, list(serviceEndpoint)),
  },
});
export type DiscoveryConfigSpec = SpecOf<typeof discoveryConfigs>;
