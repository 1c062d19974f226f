import { etcdPorts, kubernetesPorts, ports } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import { askOwner, holdOwnerSocket, type OwnerSocket } from '../cluster/owner-socket.ts';
import { claimOwnerFromJson } from '../domain/claim.ts';
import { clusterPorts } from '../domain/cluster-ports.ts';
import { type ClusterShape, planNodes } from '../domain/cluster-shape.ts';
import { gatewayAddress, type Subnet, subnetCidr } from '../domain/subnet.ts';
import { describeTakenPorts, type PortNeed } from '../process/free-ports.ts';

export interface Claim extends AsyncDisposable {
  readonly subnet: Subnet;
}

/** The nodes whose ports must be free. */
export interface ClaimedNodes {
  readonly shape: ClusterShape;
  /** Whether control planes run etcd. */
  readonly hasEtcd: boolean;
  /** Whether control planes run the API server and its controllers. */
  readonly hasKubernetes: boolean;
}

/**
 * Claims the first candidate whose claim port is free and on which the ports of all nodes are free. If there
 * is none, throws a Fault `already-exists` that names the owner of the last candidate.
 */
export async function holdClaim(
  candidates: readonly Subnet[],
  nodes: ClaimedNodes,
  describeOwner: () => object,
): Promise<Claim> {
  let reason = 'no address range to try';
  for (const subnet of candidates) {
    const result = await tryClaim(subnet, nodes, describeOwner);
    if (typeof result !== 'string') {
      return { subnet, [Symbol.asyncDispose]: () => result[Symbol.asyncDispose]() };
    }
    reason = result;
  }
  const tried =
    candidates.length > 1 ? `none of ${candidates.length} address ranges is free; the last one: ` : '';
  throw new Fault('already-exists', `${tried}${reason}`);
}

/** Returns the claim, or a text that says why the subnet is taken. */
async function tryClaim(
  subnet: Subnet,
  nodes: ClaimedNodes,
  describeOwner: () => object,
): Promise<OwnerSocket | string> {
  const where = { host: gatewayAddress(subnet), port: clusterPorts.claim };
  const socket = await holdOwnerSocket(where, describeOwner);
  if (socket === undefined) return describeClash(subnet);
  const taken = await describeTakenPorts(portNeeds(subnet, nodes));
  if (taken.length === 0) return socket;
  await socket[Symbol.asyncDispose]();
  return taken.join('; ');
}

async function describeClash(subnet: Subnet): Promise<string> {
  const where = { host: gatewayAddress(subnet), port: clusterPorts.claim };
  const owner = claimOwnerFromJson(await askOwner(where));
  if (owner !== undefined) {
    const { cluster, folder, pid } = owner;
    return `${subnetCidr(subnet)} belongs to cluster "${cluster}" in ${folder} (supervisor pid ${pid})`;
  }
  const [holder] = await describeTakenPorts([{ protocol: 'tcp', address: where.host, port: where.port }]);
  return holder ?? `${where.host}:${where.port} was in use`;
}

function portNeeds(subnet: Subnet, { shape, hasEtcd, hasKubernetes }: ClaimedNodes): PortNeed[] {
  const tcp = (address: string, port: number): PortNeed => ({ protocol: 'tcp', address, port });
  return [
    { protocol: 'udp', address: gatewayAddress(subnet), port: clusterPorts.time },
    ...planNodes(shape, subnet).flatMap(({ address, type }) =>
      type === 'controlplane'
        ? [
            ...[ports.apid, ports.trustd],
            ...(hasEtcd ? Object.values(etcdPorts) : []),
            ...(hasKubernetes ? Object.values(kubernetesPorts) : []),
          ].map((port) => tcp(address, port))
        : [tcp(address, ports.apid)],
    ),
  ];
}
