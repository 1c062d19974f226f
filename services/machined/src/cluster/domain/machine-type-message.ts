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

/** What a node is, as resources say it; `unknown` for what later versions may add. */
export const machineTypeName = (type: MachineType): MachineTypeName => names[type] ?? 'unknown';

/** What a node is, as messages say it. */
export const machineTypeMessage = (name: MachineTypeName): MachineType => messages[name];

/** Whether a node of that type runs etcd. */
export const isControlPlaneType = (type: MachineType): boolean =>
  type === MachineType.MACHINE_TYPE_CONTROL_PLANE || type === MachineType.MACHINE_TYPE_INIT;
