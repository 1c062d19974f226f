import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  bool,
  cidr,
  field,
  int64,
  ip,
  ipPort,
  list,
  text,
  time,
  uint32,
  unlessEmpty,
} from '../../spec/field-types.ts';
import { peerState } from './enumerations.ts';

/** Settings of KubeSpan, the WireGuard network between nodes. They contain a secret. */
export const kubeSpanConfigs = defineKind({
  type: 'KubeSpanConfigs.kubespan.talos.dev',
  defaultNamespace: 'config',
  singleton: 'kubespan',
  isSensitive: true,
  spec: {
    enabled: field(1, bool),
    clusterId: field(2, text),
    sharedSecret: field(3, text),
    forceRouting: field(4, bool),
    advertiseKubernetesNetworks: field(5, bool),
    mtu: unlessEmpty(6, uint32),
    endpointFilters: unlessEmpty(7, list(text)),
    harvestExtraEndpoints: field(8, bool),
    extraEndpoints: unlessEmpty(9, list(ipPort)),
    excludeAdvertisedNetworks: unlessEmpty(10, list(cidr)),
  },
});
export type KubeSpanConfigSpec = SpecOf<typeof kubeSpanConfigs>;

/** Endpoints at which peers were reached, by public key. */
export const kubeSpanEndpoints = defineKind({
  type: 'KubeSpanEndpoints.kubespan.talos.dev',
  defaultNamespace: 'kubespan',
  printColumns: {
    Endpoint: '{.endpoint}',
    'Affiliate ID': '{.affiliateID}',
  },
  spec: {
    /** Node ID of the peer. */
    affiliateID: field(1, text),
    endpoint: field(2, ipPort),
  },
});
export type KubeSpanEndpointSpec = SpecOf<typeof kubeSpanEndpoints>;

/** Keys and address of this node in KubeSpan. */
export const kubeSpanIdentities = defineKind({
  type: 'KubeSpanIdentities.kubespan.talos.dev',
  defaultNamespace: 'kubespan',
  singleton: 'local',
  printColumns: {
    Address: '{.address}',
    PublicKey: '{.publicKey}',
  },
  isSensitive: true,
  spec: {
    /** Unique local IPv6 address of this node, as /128. */
    address: field(1, cidr),
    /** The /64 subnet of KubeSpan in this cluster. */
    subnet: field(2, cidr),
    privateKey: field(3, text),
    publicKey: field(4, text),
  },
});
export type KubeSpanIdentitySpec = SpecOf<typeof kubeSpanIdentities>;

/** Desired peers, by public key. */
export const kubeSpanPeerSpecs = defineKind({
  type: 'KubeSpanPeerSpecs.kubespan.talos.dev',
  defaultNamespace: 'kubespan',
  printColumns: {
    Label: '{.label}',
    Endpoints: '{.endpoints}',
  },
  spec: {
    address: field(1, ip),
    allowedIPs: field(2, list(cidr)),
    endpoints: field(3, list(ipPort)),
    label: field(4, text),
  },
});
export type KubeSpanPeerSpecSpec = SpecOf<typeof kubeSpanPeerSpecs>;

/** Current states of peers, by public key. */
export const kubeSpanPeerStatuses = defineKind({
  type: 'KubeSpanPeerStatuses.kubespan.talos.dev',
  defaultNamespace: 'kubespan',
  printColumns: {
    Label: '{.label}',
    Endpoint: '{.endpoint}',
    State: '{.state}',
    Rx: '{.receiveBytes}',
    Tx: '{.transmitBytes}',
  },
  spec: {
    endpoint: field(1, ipPort),
    label: field(2, text),
    /** `unknown`, `up` or `down`. */
    state: field(3, peerState),
    receiveBytes: field(4, int64),
    transmitBytes: field(5, int64),
    lastHandshakeTime: field(6, time),
    lastUsedEndpoint: field(7, ipPort),
    lastEndpointChange: field(8, time),
  },
});
export type KubeSpanPeerStatusSpec = SpecOf<typeof kubeSpanPeerStatuses>;
