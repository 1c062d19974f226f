import { MachineType } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import type { MachineTypeName } from '@nodewright/state/kinds';

const names: Readonly<Record<number, MachineTypeName>> = {
  [MachineType.MACHINE_TYPE_INIT]: 'init',
  [MachineType.MACHINE_TYPE_CONTROL_PLANE]: 'controlplane',
  [MachineType.MACHINE_TYPE_WORKER]: 'worker',
};

const messages: Readonly<Record<MachineTypeName, MachineType>> = {
  unknown: MachineType.MACHINE_TYPE_UNSPECIFIED,
  init: MachineType.MACHINE_TYPE_INIT,
  controlplane: MachineType.MACHINE_TYPE_CONTROL_PLANE,
  worker: MachineType.MACHINE_TYPE_WORKER,
};

/** The machine type as resources name it; `unknown` for a value that this version does not know. */
export const machineTypeName = (type: MachineType): MachineTypeName => names[type] ?? 'unknown';

/** The machine type as messages encode it. */
export const machineTypeMessage = (name: MachineTypeName): MachineType => messages[name];

/** Whether nodes of this type run etcd. */
export const isControlPlaneType = (type: MachineType): boolean =>
  type === MachineType.MACHINE_TYPE_CONTROL_PLANE || type === MachineType.MACHINE_TYPE_INIT;
