import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, int32, text } from '../../spec/field-types.ts';

/** The process IDs of running services, by service ID. */
export const servicePids = defineKind({
  type: 'ServicePIDs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    PID: '{.pid}',
  },
  spec: {
    pid: field(1, int32),
    /** `mnt:[…]`. */
    mountNamespace: field(2, text),
  },
});
export type ServicePidSpec = SpecOf<typeof servicePids>;

/** Running services, by ID. A service that does not run has no resource. */
export const services = defineKind({
  type: 'Services.v1alpha1.talos.dev',
  defaultNamespace: 'runtime',
  aliases: ['svc'],
  printColumns: {
    Running: '{.running}',
    Healthy: '{.healthy}',
    'Health Unknown': '{.unknown}',
  },
  spec: {
    running: field(1, bool),
    healthy: field(2, bool),
    /** No health check has completed yet. */
    unknown: field(3, bool),
  },
});
export type ServiceSpec = SpecOf<typeof services>;

/** `machine-config` requests that the machine configuration is acquired. */
export const acquireConfigSpecs = defineKind({
  type: 'AcquireConfigSpecs.v1alpha1.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'machine-config',
  spec: {},
});
export type AcquireConfigSpecSpec = SpecOf<typeof acquireConfigSpecs>;

/** `machine-config` exists once the machine configuration has been acquired. */
export const acquireConfigStatuses = defineKind({
  type: 'AcquireConfigStatuses.v1alpha1.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'machine-config',
  spec: {},
});
export type AcquireConfigStatusSpec = SpecOf<typeof acquireConfigStatuses>;
