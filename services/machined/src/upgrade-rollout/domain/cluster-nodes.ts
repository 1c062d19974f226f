// The nodes of the cluster as a roll-out sees them.
import type { ActionState, ClusterFacts, NodeFacts, NodeRole } from '@nodewright/rollout';
import type { MemberSpec } from '@nodewright/state/kinds';

export interface ClusterNode {
  /** Host name, lower case. */
  readonly name: string;
  readonly role: NodeRole;
  /** The preferred address; undefined when the node has told none. */
  readonly address: string | undefined;
}

/** What a node says of itself and of its turn. */
export interface NodeReport {
  readonly role: NodeRole | undefined;
  readonly action: ActionState;
  /** Why it is not well; undefined when it is. */
  readonly illness: string | undefined;
}

/** What etcd says about its members. */
export interface MemberProblems {
  readonly common: string | undefined;
  readonly byName: ReadonlyMap<string, string>;
}

/** The members of the cluster, by name. */
export function clusterNodes(
  members: readonly Pick<MemberSpec, 'hostname' | 'machineType' | 'addresses'>[],
): ClusterNode[] {
  return members
    .map(({ hostname, machineType, addresses }) => ({
      name: hostname.toLowerCase(),
      role: machineType === 'worker' ? ('worker' as const) : ('control-plane' as const),
      address: addresses[0],
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The names that several nodes have. Nobody can tell whose turn such a name is. */
export function sharedNames(nodes: readonly ClusterNode[]): string[] {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { name } of nodes) (seen.has(name) ? shared : seen).add(name);
  return [...shared];
}

/**
 * The facts that a driver decides by.
 *
 * @param reports by the name of the node; a node without one does not answer
 * @param etcd a text: why etcd does not answer
 */
export function clusterFacts(
  nodes: readonly ClusterNode[],
  reports: ReadonlyMap<string, NodeReport | string>,
  etcd: MemberProblems | string,
): ClusterFacts {
  const shared = sharedNames(nodes);
  return new Map(
    nodes.map(({ name, role }) => {
      const report = reports.get(name) ?? 'does not answer';
      if (shared.includes(name)) return [name, unwell(role, 'several nodes have this name')];
      if (typeof report === 'string') return [name, unwell(role, report)];
      const reason = illnessOf({ name, role }, report, etcd);
      const wellness = reason === undefined ? { isWell: true as const } : { isWell: false as const, reason };
      return [name, { role, wellness, action: report.action }];
    }),
  );
}

const unwell = (role: NodeRole, reason: string): NodeFacts => ({
  role,
  wellness: { isWell: false, reason },
  action: { kind: 'unknown' },
});

function illnessOf(
  { name, role }: Pick<ClusterNode, 'name' | 'role'>,
  { role: told, illness }: NodeReport,
  etcd: MemberProblems | string,
): string | undefined {
  if (told !== undefined && told !== role) return `it says that it is a ${told}`;
  if (illness !== undefined || role === 'worker') return illness;
  if (typeof etcd === 'string') return `etcd does not answer: ${etcd}`;
  const own = etcd.byName.get(name) ?? etcd.byName.get(name.split('.')[0] ?? name);
  return own === undefined ? etcd.common : `its member of etcd is not healthy: ${own}`;
}
