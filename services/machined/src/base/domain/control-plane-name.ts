import type { MachineTypeName } from '@nodewright/state/kinds';

/** Whether a node of this type, as resources name it, runs etcd and an API server. */
export const isControlPlaneName = (type: MachineTypeName): boolean =>
  type === 'controlplane' || type === 'init';
