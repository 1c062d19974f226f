import type { Controller } from '@nodewright/controllers';
import type { ServiceRecords } from '../../services/service-records.ts';
import { serviceController } from './service.ts';

export interface V1alpha1ControllersInit {
  readonly services: ServiceRecords;
}

/** Source: Talos v1.14: COSI resources, v1alpha1. */
export function v1alpha1Controllers({ services }: V1alpha1ControllersInit): Controller[] {
  return [serviceController(services)];
}
