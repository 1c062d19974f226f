import { type Controller, destroyReady, exclusive } from '@nodewright/controllers';
import type { ServiceRecords } from '@nodewright/services';
import { services } from '@nodewright/state/kinds';
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
