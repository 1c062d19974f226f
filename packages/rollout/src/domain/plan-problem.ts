import { nodeRoles, type PlannedNode, planLimits, type RolloutPlan, rolloutPhases } from './rollout-plan.ts';

const isCount = (value: number, least: number, most: number) =>
  Number.isSafeInteger(value) && value >= least && value <= most;

/** Host names, lower case. */
const nodeName = /^[a-z0-9][a-z0-9.-]*$/;
const planId = /^[0-9a-f]{32}$/;
/** Control characters and line separators, which could change what a terminal shows. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}]/u;

const isText = (value: string, longest: number) =>
  value.length <= longest && value.isWellFormed() && !unprintable.test(value);

/**
 * Why a plan is not one that this package makes or could have come to; `undefined` when it is. The types of all fields are right already.
 */
export function planProblem(plan: RolloutPlan): string | undefined {
  const { nodes } = plan;
  if (!planId.test(plan.id)) return 'its id is not 32 hexadecimal digits';
  if (!isText(plan.action, planLimits.actionLength)) return 'its action is too long, or not one line of text';
  if (!isCount(nodes.length, 1, planLimits.nodes)) return `it does not have 1 to ${planLimits.nodes} nodes`;
  if (!isCount(plan.maxUnavailable, 1, planLimits.nodes)) return 'maxUnavailable is not a number of nodes';
  if (!isCount(plan.pauseAfter, 0, planLimits.nodes)) return 'pauseAfter is not a number of nodes';
  if (!isCount(plan.limitMs, 1000, planLimits.limitMs)) return 'its limit is not 1 s to 24 h';
  if (!rolloutPhases.includes(plan.phase)) return 'it has no known phase';
  if (![plan.reason, plan.waitsFor].every((text) => isText(text, planLimits.reasonLength)))
    return 'a reason is too long, or not one line of text';
  for (const [index, node] of nodes.entries()) {
    const problem = nodeProblem(node);
    if (problem !== undefined) return `node ${index + 1}: ${problem}`;
  }
  if (new Set(nodes.map(({ name }) => name)).size < nodes.length) return 'a node is in it twice';
  return orderProblem(plan);
}

function nodeProblem({ name, role, attempt, progress }: PlannedNode): string | undefined {
  if (name.length > planLimits.nameLength || !nodeName.test(name)) return 'it has no valid name';
  if (!nodeRoles.includes(role)) return 'it has no known role';
  if (!isCount(attempt, 1, planLimits.attempts)) return 'its attempt is not a number from 1 on';
  if (progress.state === 'acting' && !isCount(progress.spentMs, 0, planLimits.limitMs * 2))
    return 'its time is not a number of milliseconds';
  if (progress.state === 'failed' && !isText(progress.reason, planLimits.reasonLength))
    return 'its reason is too long, or not one line of text';
  return undefined;
}

/** What no sequence of steps leads to. */
function orderProblem({ nodes, phase, maxUnavailable }: RolloutPlan): string | undefined {
  const firstWorker = nodes.findIndex(({ role }) => role === 'worker');
  const controlPlanes = nodes.filter(({ role }) => role === 'control-plane');
  const acting = nodes.filter(({ progress }) => progress.state === 'acting');
  if (firstWorker !== -1 && firstWorker < controlPlanes.length)
    return 'a worker comes before a control plane';
  if (acting.length > maxUnavailable) return `more than ${maxUnavailable} nodes act`;
  if (acting.filter(({ role }) => role === 'control-plane').length > 1) return 'two control planes act';
  if (
    controlPlanes.some(({ progress }) => progress.state !== 'done') &&
    nodes.some(({ role, progress }) => role === 'worker' && progress.state !== 'waiting')
  )
    return 'a worker has begun before all control planes were done';
  if (phase === 'done' && nodes.some(({ progress }) => progress.state !== 'done'))
    return 'it is done, and some of its nodes are not';
  if (phase === 'running' && nodes.some(({ progress }) => progress.state === 'failed'))
    return 'it goes on although a node has failed';
  return undefined;
}
