// Source: Talos v1.14: COSI resources, enumerations.
import { enumeration } from '../../spec/field-types.ts';

export const containerImagePhase = enumeration('ContainerImagePhase', {
  pending: 0,
  pulling: 1,
  ready: 2,
  failed: 3,
});
