import { Fault } from '@nodewright/fault';
import { nodeAddress, type Subnet } from './subnet.ts';

/** How many nodes of which type a cluster has. */
export interface ClusterShape {
  readonly controlPlanes: number;
  readonly workers: number;
}

export type NodeType = 'controlplane' | 'worker';

/** A node as it was planned at creation; its name and address never change. */
export interface PlannedNode {
  readonly name: string;
  readonly type: NodeType;
  readonly address: string;
}

/** Throws a Fault `invalid-argument` when such a cluster cannot be made. */
export function checkShape(
  { controlPlanes, workers }: ClusterShape,
  { kind, most }: { readonly kind: string; readonly most: number },
): void {
  const counts = [
    ['control planes', controlPlanes, 1],
    ['workers', workers, 0],
  ] as const;
  for (const [noun, count, least] of counts) {
    if (!Number.isInteger(count) || count < least) {
      throw new Fault('invalid-argument', `the number of ${noun} must be at least ${least}, not "${count}"`);
    }
  }
  if (controlPlanes + workers > most) {
    throw new Fault(
      'invalid-argument',
      `a ${kind} cluster holds ${most} nodes, not ${controlPlanes + workers}`,
    );
  }
}

/** The nodes of a cluster: control planes first, named node01, node02, ... and addressed in that order. */
export function planNodes(shape: ClusterShape, subnet: Subnet): PlannedNode[] {
  const total = shape.controlPlanes + shape.workers;
  return Array.from({ length: total }, (_, index) => ({
    name: `node${String(index + 1).padStart(2, '0')}`,
    type: index < shape.controlPlanes ? 'controlplane' : 'worker',
    address: nodeAddress(subnet, index),
  }));
}

/** `3 control planes and 1 worker`. */
export function describeShape({ controlPlanes, workers }: ClusterShape): string {
  const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  return `${counted(controlPlanes, 'control plane')} and ${counted(workers, 'worker')}`;
}

/**
 * A name becomes a folder and a context: letters, digits, dots, dashes and underscores, at most 63. Throws a Fault
 * `invalid-argument` otherwise.
 */
export function checkClusterName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)) return;
  throw new Fault(
    'invalid-argument',
    `a cluster name is 1 to 63 letters, digits, dots, dashes and underscores, not ${JSON.stringify(name)}`,
  );
}
