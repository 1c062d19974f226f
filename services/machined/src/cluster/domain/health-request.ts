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
/** How much of a text that is refused is repeated. */
const maxShownLength = 200;
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

export interface EndpointAccess {
  /** Whether the caller may have this node connect to any host and port. */
  readonly isAdmin: boolean;
  /** The URLs of the cluster's own API servers. */
  readonly own: readonly string[];
}

/**
 * The API server that the request names; `undefined` when it names none. The answer says whether a server listens there, so that a reader
 * could scan the networks of the node: only an administrator names an endpoint outside the cluster.
 *
 * @throws Fault `invalid-argument` for a text that is no URL with https; `permission-denied` for an endpoint that the caller may not name
 */
export function kubernetesEndpoint(
  { clusterInfo }: Pick<HealthCheckRequest, 'clusterInfo'>,
  { isAdmin, own }: EndpointAccess,
): string | undefined {
  const text = clusterInfo?.forceEndpoint ?? '';
  if (text === '') return undefined;
  const shown = JSON.stringify(text.slice(0, maxShownLength));
  if (!URL.canParse(text) || new URL(text).protocol !== 'https:')
    throw new Fault('invalid-argument', `the endpoint of Kubernetes ${shown} is no URL with https`);
  const { origin } = new URL(text);
  if (isAdmin || own.some((url) => URL.canParse(url) && new URL(url).origin === origin)) return text;
  throw new Fault(
    'permission-denied',
    `the endpoint of Kubernetes ${shown} is none of this cluster: only os:admin may name another one`,
  );
}

/** The URLs at which the cluster's API servers are known: its endpoint, and each control plane. */
export function ownEndpoints(
  cluster: { readonly endpoint: string; readonly apiServerPort: number } | undefined,
  members: readonly ClusterNode[],
): readonly string[] {
  if (cluster === undefined) return [];
  const addresses = members
    .filter(({ machineType }) => machineType !== 'worker')
    .flatMap((member) => member.addresses);
  const host = (address: string) => (address.includes(':') ? `[${address}]` : address);
  return [
    cluster.endpoint,
    ...addresses.map((address) => `https://${host(address)}:${cluster.apiServerPort}`),
  ];
}
