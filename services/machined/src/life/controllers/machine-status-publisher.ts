import { isDeepStrictEqual } from 'node:util';
import { type Controller, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { type MachineStageName, type MachineStatusSpec, machineStatuses } from '@nodewright/state/kinds';
import type { MachineStage } from '../domain/machine-status.ts';
import type { EventStore } from '../host/event-store.ts';

/** Stages that no sequence of these nodes reaches have no event. */
const stages: Readonly<Partial<Record<MachineStageName, MachineStage>>> = {
  booting: 'booting',
  maintenance: 'maintenance',
  running: 'running',
  'shutting down': 'shutting-down',
  rebooting: 'rebooting',
  resetting: 'resetting',
  upgrading: 'upgrading',
  installing: 'installing',
};

/** Publishes every change of the machine's status as an event. */
export function machineStatusPublisherController(events: EventStore): Controller {
  let told: MachineStatusSpec | undefined;
  return {
    name: 'runtime.MachineStatusPublisherController',
    inputs: [weak(machineStatuses, machineStatuses.singleton)],
    outputs: [],
    async reconcile(pass) {
      const spec = (await pass.get(pointerTo(machineStatuses)))?.spec;
      const stage = spec && stages[spec.stage];
      if (spec === undefined || stage === undefined || isDeepStrictEqual(spec, told)) return;
      told = spec;
      events.publish({ kind: 'machine-status', status: { stage, ...spec.status } });
    },
  };
}
