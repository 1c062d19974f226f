import { enumeration } from '../spec/field-types.ts';

/** What a machine is in its cluster. */
export type MachineTypeName = 'unknown' | 'init' | 'controlplane' | 'worker';

export const machineType = enumeration<MachineTypeName>({ unknown: 0, init: 1, controlplane: 2, worker: 3 });
