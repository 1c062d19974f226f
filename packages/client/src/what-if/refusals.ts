import { methodRule } from '@nodewright/contract';
import { removalProblem } from '@nodewright/etcd/quorum';
import type { ClusterFacts, NodeFacts, NodeSystems } from './cluster-facts.ts';
import { actionMethod, actionName, leavesEtcd, type PlannedAction } from './planned-action.ts';

/** Stages in which a sequence runs that the action may not replace. Source: Talos v1.14: sequences, lock and takeover. */
const lockedStages: Readonly<Record<PlannedAction['kind'], readonly string[]>> = {
  service: [],
  upgrade: ['upgrading'],
  reboot: ['shutting down', 'upgrading'],
  // A call of Shutdown cancels any sequence.
  shutdown: [],
  reset: ['maintenance', 'rebooting', 'resetting', 'shutting down', 'upgrading'],
};

/**
 * Why the chosen nodes would refuse the action, by name, each reason as a text that follows the name. A node without a
 * reason accepts the action, as far as is known.
 */
export function findRefusals(
  facts: ClusterFacts,
  action: PlannedAction,
): ReadonlyMap<string, readonly string[]> {
  const removals = leavesEtcd(action) ? removalRefusals(facts) : new Map<string, string>();
  const ofCaller = roleRefusal(facts, action);
  return new Map(
    facts.nodes.map((node) => [
      node.name,
      [ofCaller, nodeRefusal(node, action), removals.get(node.name)].filter((reason) => reason !== undefined),
    ]),
  );
}

function roleRefusal({ callerRoles }: ClusterFacts, action: PlannedAction): string | undefined {
  const allowed: readonly string[] = methodRule(actionMethod(action))?.roles ?? [];
  if (callerRoles === undefined || callerRoles.some((role) => allowed.includes(role))) return undefined;
  const own = callerRoles.length === 0 ? 'no role' : callerRoles.join(', ');
  return `refuses: ${actionName(action)} needs the role ${allowed.join(' or ')}, and this context has ${own}`;
}

function nodeRefusal(
  { unreachable, stage, mode, systems }: NodeFacts,
  action: PlannedAction,
): string | undefined {
  if (unreachable !== undefined) return `cannot be called: ${unreachable}`;
  if (isRefusedIn(mode, action, systems))
    return `refuses: ${actionName(action)} is not supported in container mode`;
  if (stage !== undefined && lockedStages[action.kind].includes(stage))
    return `refuses: it is busy with another sequence (${stage})`;
  return undefined;
}

/** Whether a node with this `platform.mode` of its version refuses the action, as one in a container refuses to reboot. */
export function isRefusedIn(
  mode: string | undefined,
  action: PlannedAction,
  systems: NodeSystems = 'none',
): boolean {
  const rule = methodRule(actionMethod(action))?.containerMode;
  if (mode !== 'container' || rule === undefined) return false;
  if (rule === 'without keeper') return systems === 'none';
  return rule === 'refused' || systems !== 'chosen';
}

/** The nodes whose member etcd would not let go, one removal after the other. */
function removalRefusals({ nodes, members = [] }: ClusterFacts): Map<string, string> {
  const refusals = new Map<string, string>();
  let left = members.map(({ id, hostname, isLearner, isAlive }) => ({
    id,
    name: hostname,
    isLearner,
    isAlive,
  }));
  for (const { name, etcd } of nodes) {
    if (typeof etcd !== 'bigint') continue;
    const problem = removalProblem(left, etcd);
    if (problem === undefined) left = left.filter(({ id }) => id !== etcd);
    else refusals.set(name, `refuses to leave etcd: ${problem} (--no-graceful resets it anyway)`);
  }
  return refusals;
}
