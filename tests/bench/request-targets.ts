import { metadataKeys, roles } from '@nodewright/contract';
import type { BenchCluster, BenchNode } from './cluster.ts';
import type { Gateway } from './gateways.ts';
import type { UnaryTarget } from './unary-point.ts';

/** nghttpx in front of the first node's machined, and another one in front of a third before the second node's. */
export interface NghttpxGateways {
  readonly near: Gateway;
  readonly entry: Gateway;
  readonly far: Gateway;
}

/** The gateways to compare apid with; `undefined` for each that this machine cannot have. */
export interface PeerGateways {
  readonly nghttpx: NghttpxGateways | undefined;
  /** In front of the first node's machined. */
  readonly goProxy: Gateway | undefined;
}

/** The routes to one node: its socket, through one gateway, through two; each with apid and with its peers. */
export function oneNodeTargets(cluster: BenchCluster, { nghttpx, goProxy }: PeerGateways): UnaryTarget[] {
  const [first, second] = cluster.nodes as [BenchNode, BenchNode];
  const entry = cluster.target(first.address);
  const own: UnaryTarget[] = [
    {
      name: 'machined, its unix socket',
      gateway: 'none',
      hops: 0,
      target: { kind: 'unix', path: first.machinedSocket },
      metadata: [[metadataKeys.role, roles.admin]],
      groups: { machined: [first.pids.machined] },
      nodes: 1,
    },
    {
      name: '1 apid',
      gateway: 'apid',
      hops: 1,
      target: entry,
      metadata: [],
      groups: { gateways: [first.pids.apid], machined: [first.pids.machined] },
      nodes: 1,
    },
    {
      name: '2 apids',
      gateway: 'apid',
      hops: 2,
      target: entry,
      metadata: [[metadataKeys.node, second.address]],
      groups: { gateways: [first.pids.apid, second.pids.apid], machined: [second.pids.machined] },
      nodes: 1,
    },
  ];
  const ofNghttpx: UnaryTarget[] =
    nghttpx === undefined
      ? []
      : [
          {
            name: '1 nghttpx',
            gateway: 'nghttpx',
            hops: 1,
            target: nghttpx.near.target,
            metadata: [],
            groups: { gateways: [nghttpx.near.pid], machined: [first.pids.machined] },
            nodes: 1,
          },
          {
            name: '2 nghttpx',
            gateway: 'nghttpx',
            hops: 2,
            target: nghttpx.entry.target,
            metadata: [],
            groups: {
              gateways: [nghttpx.entry.pid, nghttpx.far.pid],
              machined: [second.pids.machined],
            },
            nodes: 1,
          },
        ];
  const ofGo: UnaryTarget[] =
    goProxy === undefined
      ? []
      : [
          {
            name: '1 Go proxy',
            gateway: 'go-proxy',
            hops: 1,
            target: goProxy.target,
            metadata: [],
            groups: { gateways: [goProxy.pid], machined: [first.pids.machined] },
            nodes: 1,
          },
        ];
  // Compared targets are in adjacent rows.
  return [...own, ...ofNghttpx, ...ofGo].sort((left, right) => left.hops - right.hops);
}

/** One call to several nodes, which the first of them merges into one answer. */
export function severalNodesTarget(cluster: BenchCluster, count: number): UnaryTarget {
  const nodes = cluster.nodes.slice(0, count);
  const [first, ...others] = nodes as [BenchNode, ...BenchNode[]];
  return {
    name: `${nodes.length} nodes`,
    gateway: 'apid',
    hops: 2,
    target: cluster.target(first.address),
    metadata: nodes.map(({ address }) => [metadataKeys.nodes, address]),
    groups: {
      gateway: [first.pids.apid],
      peers: others.map(({ pids }) => pids.apid),
      machined: nodes.map(({ pids }) => pids.machined),
    },
    nodes: nodes.length,
  };
}
