import { type Controller, destroyReady, exclusive } from '@nodewright/controllers';
import { services } from '@nodewright/state/kinds';
import type { ServiceRecords } from '../../base/domain/service-records.ts';
import { serviceSpecs } from '../domain/service-specs.ts';

/** A running service as a resource. Source: Talos v1.14: COSI resources, Services. */
export function serviceController(records: ServiceRecords): Controller {
  return {
    name: 'v1alpha1.ServiceController',
    inputs: [destroyReady(services)],
    outputs: [exclusive(services)],
    open(source, scope) {
      scope.use(records.onChange(() => source.wake()));
    },
    reconcile: (pass) => pass.replace(services, serviceSpecs(records.records())),
  };
}
