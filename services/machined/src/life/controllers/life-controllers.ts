import type { Controller } from '@nodewright/controllers';
import type { ServiceRecords } from '@nodewright/services';
import type { World } from '../../base/domain/world.ts';
import type { EventStore } from '../host/event-store.ts';
import { consoleController, type WriteConsoles } from './console.ts';
import { diagnosticsController, diagnosticsLoggerController } from './diagnostics.ts';
import { eventSinkConfigController } from './event-sink-config.ts';
import { machineStatusController } from './machine-status.ts';
import { machineStatusPublisherController } from './machine-status-publisher.ts';

export interface LifeControllersInit {
  readonly world: Pick<World, 'refusesUnkeptProtections'>;
  readonly events: EventStore;
  readonly services: ServiceRecords;
  /** Shows the state of a machine on its consoles; undefined on a node that has none of its own. */
  readonly writeConsoles?: WriteConsoles | undefined;
}

/** Source: Talos v1.14: COSI resources, runtime. */
export function lifeControllers(init: LifeControllersInit): Controller[] {
  const { world, events, services, writeConsoles } = init;
  return [
    machineStatusController({ events, services }),
    machineStatusPublisherController(events),
    diagnosticsController(services, world),
    diagnosticsLoggerController(),
    eventSinkConfigController(),
    ...(writeConsoles === undefined ? [] : [consoleController(services, writeConsoles)]),
  ];
}
