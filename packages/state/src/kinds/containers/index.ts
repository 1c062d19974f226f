// Source: Talos v1.14: COSI resources, containers.
import type { ResourceKind } from '../../meta/define-kind.ts';
import { containerImageStatuses, containerInstanceSpecs, containerSpecs } from './containers.ts';

export * from './containers.ts';
export * as containersEnumerations from './enumerations.ts';

export const containersKinds: readonly ResourceKind[] = [
  containerSpecs,
  containerImageStatuses,
  containerInstanceSpecs,
];
