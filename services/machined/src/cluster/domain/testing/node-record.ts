import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { MachineType } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';

/** The record of a worker `node<number>` at 127.1.0.<number>, with `changes` applied. */
export function nodeRecord(number: number, changes: Partial<NodeRecord> = {}): NodeRecord {
  return {
    nodeId: `id${number}`,
    addresses: [`127.1.0.${number}`],
    hostname: `node${number}`,
    nodename: `node${number}`,
    operatingSystem: 'Talos (v1.14.0)',
    machineType: MachineType.MACHINE_TYPE_WORKER,
    apiServerPort: 0,
    ...changes,
  };
}

/** The record of a control plane `node<number>` at 127.1.0.<number>, with `changes` applied. */
export const controlPlaneRecord = (number: number, changes: Partial<NodeRecord> = {}): NodeRecord =>
  nodeRecord(number, { machineType: MachineType.MACHINE_TYPE_CONTROL_PLANE, ...changes });
