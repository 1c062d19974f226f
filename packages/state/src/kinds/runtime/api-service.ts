import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, ip, list, text } from '../../spec/field-types.ts';

/** Listen address and access settings of apid. */
export const apiServiceConfigs = defineKind({
  type: 'APIServiceConfigs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'apid',
  spec: {
    /** `:50000`. */
    listenAddress: field(1, text),
    /** apid does not forward calls to other nodes. */
    nodeRoutingDisabled: field(2, bool),
    /** Every client gets the reader role. */
    readonlyRoleMode: field(3, bool),
    skipVerifyingClientCert: field(4, bool),
  },
});
export type ApiServiceConfigSpec = SpecOf<typeof apiServiceConfigs>;

/**
 * Exists while a worker serves its API with a certificate of its own, because no control plane has issued one. Our own: an upstream worker
 * does not listen until then.
 */
export const apiWaits = defineKind({
  type: 'APIWaits.runtime.nodewright.dev',
  defaultNamespace: 'runtime',
  singleton: 'apid',
  printColumns: { Reason: '{.reason}' },
  spec: {
    /** What the node waits for and what last went wrong, for callers without a certificate. */
    reason: field(1, text),
  },
});
export type ApiWaitSpec = SpecOf<typeof apiWaits>;

/** Address on which a node in maintenance listens. */
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

/** `maintenance` exists while the node waits for its configuration. */
export const maintenanceServiceRequests = defineKind({
  type: 'MaintenanceServiceRequests.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'maintenance',
  spec: {},
});
export type MaintenanceServiceRequestSpec = SpecOf<typeof maintenanceServiceRequests>;
