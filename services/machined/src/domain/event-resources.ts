import { pointerTo } from '@nodewright/state';
import { type MachineStageName, machineStatuses, type ServiceSpec, services } from '@nodewright/state/kinds';
import type { MachineStage } from './machine-status.ts';
import type { NodeEvent } from './node-event.ts';
import type { OwnedResource } from './node-resources.ts';

/** What an event says of one resource: that it is so now, or that it is no more. */
export type ResourceChange =
  | ({ readonly kind: 'put' } & OwnedResource)
  | { readonly kind: 'remove'; readonly owner: string; readonly id: string };

const stageNames = {
  booting: 'booting',
  maintenance: 'maintenance',
  running: 'running',
  'shutting-down': 'shutting down',
  rebooting: 'rebooting',
} as const satisfies Record<MachineStage, MachineStageName>;

const serviceOwner = 'v1alpha1.ServiceController';

/** The kind of what is removed. */
export const removable = services;

/** A service is there only while it runs. Source: Talos v1.14: COSI resources, Services and MachineStatuses. */
export function resourceChange(event: NodeEvent): ResourceChange | undefined {
  if (event.kind === 'service') {
    const { service: id, entry, health } = event;
    if (entry.state !== 'Running') return { kind: 'remove', owner: serviceOwner, id };
    const spec: ServiceSpec = { running: true, healthy: health.healthy, unknown: health.unknown };
    return { kind: 'put', owner: serviceOwner, resource: { ...pointerTo(services, id), spec } };
  }
  if (event.kind !== 'machine-status') return undefined;
  const { stage, ready, unmetConditions } = event.status;
  const spec = { stage: stageNames[stage], status: { ready, unmetConditions } };
  return {
    kind: 'put',
    owner: 'runtime.MachineStatusController',
    resource: { ...pointerTo(machineStatuses, 'machine'), spec },
  };
}
