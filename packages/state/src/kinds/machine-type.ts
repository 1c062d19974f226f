import { enumeration, type ValueOf } from '../spec/field-types.ts';

export const machineType = enumeration('MachineType', { unknown: 0, init: 1, controlplane: 2, worker: 3 });

/** What a machine is in its cluster. */
export type MachineTypeName = ValueOf<typeof machineType>;
