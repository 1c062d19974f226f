import { MachineType, Membership } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import type { PlannedNode } from '../domain/cluster-shape.ts';

/**
 * Returns the content of `members.json`, which lists every node of the cluster. A node reads it to resolve
 * the node names that users give, and to find the addresses of trustd.
 */
export function membersFile(nodes: readonly PlannedNode[]): string {
  const membership = Membership.fromPartial({
    members: nodes.map(({ name, type, address }) => ({
      hostname: name,
      addresses: [address],
      machineType:
        type === 'controlplane' ? MachineType.MACHINE_TYPE_CONTROL_PLANE : MachineType.MACHINE_TYPE_WORKER,
    })),
  });
  return `${JSON.stringify(Membership.toJSON(membership), undefined, 2)}\n`;
}
