import type { ServiceRecord } from '@nodewright/services/domain';
import type { ServiceSpec } from '@nodewright/state/kinds';

/** The running services, by id. Source: Talos v1.14: COSI resources, Services. */
export function serviceSpecs(
  records: readonly ServiceRecord[],
): { readonly id: string; readonly spec: ServiceSpec }[] {
  return records
    .filter(({ state }) => state === 'Running')
    .map(({ id, health: { healthy, unknown } }) => ({ id, spec: { running: true, healthy, unknown } }));
}
