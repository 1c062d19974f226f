import type { Controller } from '@nodewright/controllers';
import type { ServiceRecords } from '@nodewright/services';
import { environmentController } from './environment.ts';
import { serviceController } from './service.ts';

export interface ServicesControllersInit {
  readonly services: ServiceRecords;
}

/** Source: Talos v1.14: COSI resources, v1alpha1, runtime. */
export function servicesControllers({ services }: ServicesControllersInit): Controller[] {
  return [serviceController(services), environmentController()];
}
