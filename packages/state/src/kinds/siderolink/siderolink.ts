import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, int, ipPort, text } from '../../spec/field-types.ts';

/** How the machine connects to its management service. It contains a token. */
export const siderolinkConfigs = defineKind({
  type: 'SiderolinkConfigs.siderolink.talos.dev',
  defaultNamespace: 'config',
  singleton: 'siderolink',
  printColumns: {
    'API Endpoint': '{.apiEndpoint}',
    Tunnel: '{.tunnel}',
  },
  isSensitive: true,
  spec: {
    apiEndpoint: field(1, text),
    host: field(2, text),
    joinToken: field(3, text),
    insecure: field(4, bool),
    /** Tunnel WireGuard traffic through gRPC. */
    tunnel: field(5, bool),
  },
});
export type SiderolinkConfigSpec = SpecOf<typeof siderolinkConfigs>;

/** Whether the machine is connected to its management service. */
export const siderolinkStatuses = defineKind({
  type: 'SiderolinkStatuses.siderolink.talos.dev',
  defaultNamespace: 'config',
  singleton: 'siderolink-status',
  printColumns: {
    Host: '{.host}',
    Connected: '{.connected}',
  },
  spec: {
    host: field(1, text),
    connected: field(2, bool),
    linkName: field(3, text),
    grpcTunnel: field(4, bool),
  },
});
export type SiderolinkStatusSpec = SpecOf<typeof siderolinkStatuses>;

/** The tunnel that carries WireGuard traffic through gRPC. */
export const siderolinkTunnels = defineKind({
  type: 'SiderolinkTunnels.siderolink.talos.dev',
  defaultNamespace: 'config',
  singleton: 'siderolink-tunnel',
  printColumns: {
    'API Endpoint': '{.apiEndpoint}',
    'Link name': '{.linkName}',
    MTU: '{.mtu}',
    'Node address': '{.nodeAddress}',
  },
  isSensitive: true,
  spec: {
    apiEndpoint: field(1, text),
    linkName: field(2, text),
    mtu: field(3, int),
    nodeAddress: field(4, ipPort),
  },
});
export type SiderolinkTunnelSpec = SpecOf<typeof siderolinkTunnels>;
