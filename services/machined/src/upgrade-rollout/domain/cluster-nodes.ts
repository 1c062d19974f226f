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
  /** Why it cannot have the artefact; undefined when it can, and when it was not asked. */
  readonly lacks: string | undefined;
}

/** What etcd says about its members. */
export interface MemberProblems {
  readonly common: string | undefined;
  readonly byName: ReadonlyMap<string, string>;
  readonly names: readonly string[];
}

/** A node as the members of the cluster, or its record in etcd, name it. */
export type NamedNode = Pick<MemberSpec, 'nodeId' | 'hostname' | 'machineType' | 'addresses'>;

/**
 * The nodes of the cluster, by name.
 *
 * @param members those that live
 * @param listed what etcd says besides: control planes that are down stay in it
 */
export function clusterNodes(
  members: readonly NamedNode[],
  listed: readonly NamedNode[] = [],
): ClusterNode[] {
  const found = members.map(clusterNode);
  const ids = new Set(members.map(({ nodeId }) => nodeId));
  const names = new Set(found.map(({ name }) => name));
  for (const one of listed) {
    const node = clusterNode(one);
    if (ids.has(one.nodeId) || names.has(node.name)) continue;
    names.add(node.name);
    found.push(node);
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const clusterNode = ({ hostname, machineType, addresses }: NamedNode): ClusterNode => ({
  name: hostname.toLowerCase(),
  role: machineType === 'worker' ? 'worker' : 'control-plane',
  address: addresses[0],
});

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
 * @param members a text: why etcd does not answer
 */
export function clusterFacts(
  nodes: readonly ClusterNode[],
  reports: ReadonlyMap<string, NodeReport | string>,
  members: MemberProblems | string,
): ClusterFacts {
  const shared = sharedNames(nodes);
  const etcd = typeof members === 'string' ? members : withStrangers(nodes, members);
  return new Map(
    nodes.map(({ name, role }) => {
      const report = reports.get(name) ?? 'does not answer';
      if (shared.includes(name)) return [name, unwell(role, 'several nodes have this name')];
      if (typeof report === 'string') return [name, unwell(role, report)];
      const reason = illnessOf({ name, role }, report, etcd);
      const wellness = reason === undefined ? { isWell: true as const } : { isWell: false as const, reason };
      return [name, { role, wellness, action: report.action, cannotAct: report.lacks }];
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
  const member = etcd.names.find((one) => isMemberOf(one, name));
  const own = member === undefined ? undefined : etcd.byName.get(member);
  return own === undefined ? etcd.common : `its member of etcd is not healthy: ${own}`;
}

/** A member of etcd has the host name of its node, with the domain or without. */
function isMemberOf(member: string, node: string): boolean {
  const name = member.toLowerCase();
  return name === node || name === node.split('.')[0];
}

/** A member whose node is not known counts for all: nobody can tell whether that node is well. */
function withStrangers(nodes: readonly ClusterNode[], members: MemberProblems): MemberProblems {
  if (members.common !== undefined) return members;
  const controlPlanes = nodes.filter(({ role }) => role === 'control-plane');
  const stranger = members.names.find((name) => !controlPlanes.some((node) => isMemberOf(name, node.name)));
  if (stranger === undefined) return members;
  const failure = members.byName.get(stranger);
  const problem = failure === undefined ? 'belongs to no known node' : `is not healthy: ${failure}`;
  return { ...members, common: `etcd member "${stranger}" ${problem}` };
}
