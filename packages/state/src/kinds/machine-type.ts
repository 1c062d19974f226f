import { enumeration, type ValueOf } from '../spec/field-types.ts';

export const machineType = enumeration('MachineType', { unknown: 0, init: 1, controlplane: 2, worker: 3 });

/** The type of a machine in its cluster. */
export type MachineTypeName = ValueOf<typeof machineType>;
