import { Fault } from '@nodewright/fault';
import { nodeAddress, type Subnet } from './subnet.ts';

/** The number of nodes of each type in a cluster. */
export interface ClusterShape {
  readonly controlPlanes: number;
  readonly workers: number;
}

export type NodeType = 'controlplane' | 'worker';

/** A node as planned at the creation of the cluster; its name and address never change. */
export interface PlannedNode {
  readonly name: string;
  readonly type: NodeType;
  readonly address: string;
}

/** Throws a Fault `invalid-argument` when the number of nodes is not allowed. */
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
      `a ${kind} cluster can have at most ${most} nodes, not ${controlPlanes + workers}`,
    );
  }
}

/**
 * Plans the nodes of a cluster: control planes first, named node01, node02, ..., with addresses in that
 * order.
 */
export function planNodes(shape: ClusterShape, subnet: Subnet): PlannedNode[] {
  const total = shape.controlPlanes + shape.workers;
  return Array.from({ length: total }, (_, index) => ({
    name: `node${String(index + 1).padStart(2, '0')}`,
    type: index < shape.controlPlanes ? 'controlplane' : 'worker',
    address: nodeAddress(subnet, index),
  }));
}

/** Describes a shape, such as `3 control planes and 1 worker`. */
export function describeShape({ controlPlanes, workers }: ClusterShape): string {
  const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  return `${counted(controlPlanes, 'control plane')} and ${counted(workers, 'worker')}`;
}

/**
 * Checks the name of a cluster, which becomes the name of a folder and of a context. Throws a Fault
 * `invalid-argument` unless it has 1 to 63 letters, digits, dots, dashes and underscores, and begins with a
 * letter or digit.
 */
export function checkClusterName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)) return;
  throw new Fault(
    'invalid-argument',
    `a cluster name is 1 to 63 letters, digits, dots, dashes and underscores, not ${JSON.stringify(name)}`,
  );
}
