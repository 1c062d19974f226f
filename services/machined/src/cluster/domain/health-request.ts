import type { HealthCheckRequest } from '@nodewright/contract/gen/cluster/cluster.ts';
import { Fault } from '@nodewright/fault';
import type { MemberSpec } from '@nodewright/state/kinds';

/** The fields of a cluster member that a check needs. */
export type ClusterNode = Pick<MemberSpec, 'addresses' | 'machineType'>;

/** The addresses of the nodes to check. */
export interface CheckedNodes {
  readonly controlPlanes: readonly string[];
  readonly workers: readonly string[];
}

/** The default of talosctl. Source: Talos v1.14: health. */
const defaultTimeoutMs = 20 * 60_000;
/** The largest number of nodes in one check, which calls all of them at the same time. Real clusters have far fewer. */
const maxNodes = 5000;
/** The longest timeout that a Node.js timer supports. */
const longestTimeoutMs = 2 ** 31 - 1;

/**
 * The nodes to check: those that the request names, else the known members, else this node alone.
 *
 * @param own address of this node, a control plane.
 *
 * @throws Fault `invalid-argument` when the request names more than 5000 nodes
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

/** The time limit for all checks together. @throws Fault `invalid-argument` for a negative time */
export function healthTimeoutMs({ waitTimeout }: Pick<HealthCheckRequest, 'waitTimeout'>): number {
  if (waitTimeout === undefined) return defaultTimeoutMs;
  const timeoutMs = Number(waitTimeout.seconds) * 1000 + waitTimeout.nanos / 1e6;
  if (timeoutMs < 0) throw new Fault('invalid-argument', 'wait_timeout should not be negative');
  return Math.min(timeoutMs, longestTimeoutMs);
}

/**
 * The API server that the request names; `undefined` when it names none.
 *
 * @throws Fault `invalid-argument` for a text that is no URL with https
 */
export function kubernetesEndpoint({
  clusterInfo,
}: Pick<HealthCheckRequest, 'clusterInfo'>): string | undefined {
  const text = clusterInfo?.forceEndpoint ?? '';
  if (text === '') return undefined;
  if (URL.canParse(text) && new URL(text).protocol === 'https:') return text;
  throw new Fault('invalid-argument', `the endpoint of Kubernetes "${text}" is no URL with https`);
}
