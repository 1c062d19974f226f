import type { Controller } from '@nodewright/controllers';
import type { ServiceRecords } from '../../base/domain/service-records.ts';
import type { World } from '../../base/domain/world.ts';
import type { EventStore } from '../host/event-store.ts';
import { diagnosticsController, diagnosticsLoggerController } from './diagnostics.ts';
import { eventSinkConfigController } from './event-sink-config.ts';
import { machineStatusController } from './machine-status.ts';
import { machineStatusPublisherController } from './machine-status-publisher.ts';

export interface LifeControllersInit {
  readonly world: Pick<World, 'refusesUnkeptProtections'>;
  readonly events: EventStore;
  readonly services: ServiceRecords;
}

/** Source: Talos v1.14: COSI resources, runtime. */
export function lifeControllers({ world, events, services }: LifeControllersInit): Controller[] {
  return [
    machineStatusController({ events, services }),
    machineStatusPublisherController(events),
    diagnosticsController(services, world),
    diagnosticsLoggerController(),
    eventSinkConfigController(),
  ];
}
