import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { defineBareSpec } from '../../spec/define-spec.ts';
import { machineType } from '../machine-type.ts';

/** What this machine is. The spec is the word alone. */
export const machineTypes = defineKind({
  type: 'MachineTypes.config.talos.dev',
  defaultNamespace: 'config',
  singleton: 'machine-type',
  printColumns: {
    Type: '{@}',
  },
  codec: defineBareSpec(1, machineType),
});
export type MachineTypeSpec = SpecOf<typeof machineTypes>;
