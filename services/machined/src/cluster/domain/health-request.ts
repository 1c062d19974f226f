import type { HealthCheckRequest } from '@nodewright/contract/gen/cluster/cluster.ts';
import { Fault } from '@nodewright/fault';
import type { MemberSpec } from '@nodewright/state/kinds';

/** What a check has to know of a member of the cluster. */
export type ClusterNode = Pick<MemberSpec, 'addresses' | 'machineType'>;

/** The nodes that are checked, by address. */
export interface CheckedNodes {
  readonly controlPlanes: readonly string[];
  readonly workers: readonly string[];
}

/** As talosctl has it. Source: Talos v1.14: health. */
const defaultTimeoutMs = 20 * 60_000;
/** All are asked at once: far more than a cluster has, few enough for one node. */
const maxNodes = 5000;
/** The longest time that a timer can have. */
const longestTimeoutMs = 2 ** 31 - 1;

/**
 * Whom to check: the nodes that the request names, else those that this node knows, which is at least itself.
 *
 * @param own address of this node, a control plane.
 * @throws Fault `invalid-argument` for more nodes than can be asked at once
 */
export function nodesToCheck(
  { clusterInfo }: Pick<HealthCheckRequest, 'clusterInfo'>,
  members: readonly ClusterNode[],
  own: string,
): CheckedNodes {
  const { controlPlaneNodes = [], workerNodes = [] } = clusterInfo ?? {};
  const count = controlPlaneNodes.length + workerNodes.length;
  if (count > maxNodes) {
    throw new Fault(
      'invalid-argument',
      `${count} nodes are too many for one check: name at most ${maxNodes}`,
    );
  }
  if (controlPlaneNodes.length > 0 || workerNodes.length > 0) {
    return { controlPlanes: controlPlaneNodes, workers: workerNodes };
  }
  if (members.length === 0) return { controlPlanes: [own], workers: [] };
  const addressesOf = (isWorker: boolean) =>
    members
      .filter(({ machineType }) => (machineType === 'worker') === isWorker)
      .flatMap(({ addresses }) => addresses.slice(0, 1));
  return { controlPlanes: addressesOf(false), workers: addressesOf(true) };
}

/** How long all checks may take together. @throws Fault `invalid-argument` for a negative time */
export function healthTimeoutMs({ waitTimeout }: Pick<HealthCheckRequest, 'waitTimeout'>): number {
  if (waitTimeout === undefined) return defaultTimeoutMs;
  const timeoutMs = Number(waitTimeout.seconds) * 1000 + waitTimeout.nanos / 1e6;
  if (timeoutMs < 0) throw new Fault('invalid-argument', 'wait_timeout should not be negative');
  return Math.min(timeoutMs, longestTimeoutMs);
}
