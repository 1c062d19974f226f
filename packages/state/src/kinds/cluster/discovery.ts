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
  /** Networks that are not routed to this node. */
  excludeAdvertisedNetworks: field(5, list(cidr)),
});
export type KubeSpanAffiliateSpec = ValueOf<typeof kubeSpanAffiliateSpec>;

const serviceEndpoint = message({
  name: field(1, text),
  /** `host:port`. */
  endpoint: field(2, text),
  /** Connect without TLS. */
  insecure: field(3, bool),
});
export type ServiceEndpoint = ValueOf<typeof serviceEndpoint>;

/**
 * Nodes found by discovery, by node ID. The namespace `cluster-raw` has the data of each registry, with IDs
 * `service/<id>` and `k8s/<id>`.
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
    /** Kubernetes node name; empty when the node is not a member of the cluster. */
    nodename: unlessEmpty(4, text),
    /** `Talos (<version>)`. */
    operatingSystem: field(5, text),
    machineType: field(6, machineType),
    kubespan: unlessEmpty(7, kubeSpanAffiliateSpec),
    /** Set only for control planes. */
    controlPlane: unlessEmpty(8, optional(controlPlane)),
  },
});
export type AffiliateSpec = SpecOf<typeof affiliates>;

/** Settings of discovery. They contain an encryption key. */
export const discoveryConfigs = defineKind({
  type: 'DiscoveryConfigs.cluster.talos.dev',
  defaultNamespace: 'config',
  singleton: 'cluster',
  isSensitive: true,
  spec: {
    discoveryEnabled: field(1, bool),
    /** Whether the registry in Kubernetes is used. */
    registryKubernetesEnabled: field(2, bool),
    /** Legacy form for a single service; see `serviceEndpoints`. */
    registryServiceEnabled: field(3, bool),
    /** Legacy form for a single service; see `serviceEndpoints`. */
    serviceEndpoint: field(4, text),
    /** Legacy form for a single service; see `serviceEndpoints`. */
    serviceEndpointInsecure: unlessEmpty(5, bool),
    /** AES key that encrypts the discovery data. */
    serviceEncryptionKey: field(6, bytes),
    serviceClusterID: field(7, text),
    serviceEndpoints: field(8, list(serviceEndpoint)),
  },
});
export type DiscoveryConfigSpec = SpecOf<typeof discoveryConfigs>;
