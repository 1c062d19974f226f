import type { ClusterFacts, NodeFacts } from './cluster-facts.ts';
import { actionText, leavesEtcd, type PlannedAction, stopsEtcd } from './planned-action.ts';
import { type QuorumAfter, quorumAfter } from './quorum-after.ts';
import { findRefusals } from './refusals.ts';

/** What an action does to one node. */
export interface NodeEffect {
  readonly node: string;
  /** A text that follows the name of the node: `reboots`. */
  readonly what: string;
  /** Ids of the services that run now and stop; undefined when the node did not say. */
  readonly stops: readonly string[] | undefined;
  /** `unknown` counts as a voter. */
  readonly etcd: 'voter' | 'learner' | 'none' | 'unknown';
  readonly isLeader: boolean;
  /** Why the node would refuse the action, or cannot be called. */
  readonly refusals: readonly string[];
}

/** What an action does to the chosen nodes and to etcd. */
export interface ActionEffect {
  readonly action: PlannedAction;
  readonly nodes: readonly NodeEffect[];
  /** The quorum while the nodes are away; undefined when the members of etcd are unknown, or etcd is not concerned. */
  readonly quorum: QuorumAfter | undefined;
  /** Whether etcd loses a voter, or may lose one: a node that did not say counts as a voter. */
  readonly losesVote: boolean;
}

/** Computes what an action would do. Pure: it decides from facts that were read before. */
export function whatIf(action: PlannedAction, facts: ClusterFacts): ActionEffect {
  const refusals = findRefusals(facts, action);
  const quorum = stopsEtcd(action) ? quorumAfter(facts, leavesEtcd(action)) : undefined;
  const what = actionText(action);
  const nodes = facts.nodes.map(
    (node): NodeEffect => ({
      ...{ node: node.name, what, stops: stoppedServices(node, action), etcd: placeInEtcd(node, facts) },
      ...{ isLeader: node.isLeader === true },
      refusals: refusals.get(node.name) ?? [],
    }),
  );
  const maybe = stopsEtcd(action) && nodes.some(({ etcd }) => etcd === 'unknown');
  const losesVote = quorum === undefined ? maybe : quorum.lost > 0;
  return { action, nodes, quorum, losesVote };
}

function placeInEtcd({ etcd }: NodeFacts, { members }: ClusterFacts): NodeEffect['etcd'] {
  if (etcd === undefined || etcd === 'none') return etcd ?? 'unknown';
  if (members === undefined) return 'unknown';
  const member = members.find(({ id }) => id === etcd);
  if (member === undefined) return 'none';
  return member.isLearner ? 'learner' : 'voter';
}

/** Only what the action stops, of what runs. */
function stoppedServices({ services }: NodeFacts, action: PlannedAction): readonly string[] | undefined {
  if (action.kind === 'upgrade') return [];
  if (action.kind !== 'service') return services;
  return action.verb === 'start' ? [] : services?.filter((id) => id === action.id);
}
