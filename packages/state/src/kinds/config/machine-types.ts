import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { defineBareSpec } from '../../spec/define-spec.ts';
import { machineType } from '../machine-type.ts';

/** The type of this machine in the cluster. In YAML, the spec is just that word. */
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
