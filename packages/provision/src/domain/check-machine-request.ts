import { Fault } from '@nodewright/fault';
import { checkShape } from './cluster-shape.ts';
import type { ClusterRequest } from './provisioner.ts';

/** Throws a Fault for a cluster that cannot be one virtual machine in the emulator's own network. */
export function checkMachineRequest({ shape, cidr }: Pick<ClusterRequest, 'shape' | 'cidr'>): void {
  const nodes = shape.controlPlanes + shape.workers;
  if (nodes > 1 && shape.controlPlanes > 0) {
    throw new Fault(
      'unimplemented',
      `a qemu cluster has one machine, a control plane, not ${nodes}: a network between machines is not implemented`,
    );
  }
  checkShape(shape, { kind: 'qemu', most: 1 });
  if (cidr === undefined) return;
  throw new Fault(
    'invalid-argument',
    'the network of a qemu cluster is inside the emulator, always 10.0.2.0/24: leave --cidr out',
  );
}
