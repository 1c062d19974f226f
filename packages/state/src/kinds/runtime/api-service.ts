import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, ip, list, text } from '../../spec/field-types.ts';

/** How apid listens and whom it lets in. */
export const apiServiceConfigs = defineKind({
  type: 'APIServiceConfigs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'apid',
  spec: {
    /** `:50000`. */
    listenAddress: field(1, text),
    /** It asks no other node. */
    nodeRoutingDisabled: field(2, bool),
    /** Everybody is a reader. */
    readonlyRoleMode: field(3, bool),
    skipVerifyingClientCert: field(4, bool),
  },
});
export type ApiServiceConfigSpec = SpecOf<typeof apiServiceConfigs>;

/** Where a node without configuration listens. */
export const maintenanceServiceConfigs = defineKind({
  type: 'MaintenanceServiceConfigs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'maintenance',
  spec: {
    listenAddress: field(1, text),
    reachableAddresses: field(2, list(ip)),
  },
});
export type MaintenanceServiceConfigSpec = SpecOf<typeof maintenanceServiceConfigs>;

/** `maintenance` is there while the node waits for its configuration. */
export const maintenanceServiceRequests = defineKind({
  type: 'MaintenanceServiceRequests.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'maintenance',
  spec: {},
});
export type MaintenanceServiceRequestSpec = SpecOf<typeof maintenanceServiceRequests>;
