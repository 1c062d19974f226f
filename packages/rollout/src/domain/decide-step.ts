import { type ClusterFacts, gateProblem, withPlannedNodes } from './gate.ts';
import { type PlannedNode, planLimits, type RolloutPlan } from './rollout-plan.ts';

/** What a driver does next. The steps of the record change the plan in etcd, the others do not. */
export type RolloutStep =
  /** Of the record: the node has its turn. */
  | { readonly kind: 'grant'; readonly node: string }
  /** Asks the node to act. It does nothing when it has begun before. `reason`: why it did not begin when it was asked before. */
  | { readonly kind: 'start'; readonly node: PlannedNode; readonly reason?: string }
  /** Asks the node not to act any more, if it has not begun. */
  | { readonly kind: 'withdraw'; readonly node: PlannedNode }
  /** Of the record: the node has not begun, and waits for another turn. */
  | { readonly kind: 'revoke'; readonly node: string }
  /** Of the record: the node is well again. */
  | { readonly kind: 'confirm'; readonly node: string }
  /** Of the record: the node has failed, and the plan stops. */
  | { readonly kind: 'fail'; readonly node: string; readonly reason: string }
  /** Of the record. */
  | { readonly kind: 'pause'; readonly reason: string }
  /** Of the record: all nodes are done. */
  | { readonly kind: 'finish' }
  | { readonly kind: 'wait'; readonly reason: string };

/**
 * The next step of a plan. What happens to nodes that act comes before new turns.
 *
 * @param askedInVain the nodes that this driver has asked to begin without success, the one that was asked last at the end. They are asked
 * again, after everything else that there is to do: a node that answers each request with an error keeps no other from its turn.
 */
export function decideStep(
  plan: RolloutPlan,
  known: ClusterFacts,
  askedInVain: readonly string[] = [],
): RolloutStep {
  const facts = withPlannedNodes(plan, known);
  const acting = plan.nodes.filter(({ progress }) => progress.state === 'acting');
  for (const node of acting) {
    const step = endOfAct(plan, facts, node);
    if (step !== undefined) return step;
  }
  const waiting = acting.filter(({ name }) =>
    ['not-begun', 'preparing'].includes(facts.get(name)?.action.kind ?? 'unknown'),
  );
  const [withdrawn] = waiting;
  if (plan.phase !== 'running' && withdrawn !== undefined) return { kind: 'withdraw', node: withdrawn };
  const order = ({ name }: PlannedNode) => askedInVain.indexOf(name);
  const [ready] = waiting
    .filter(({ name }) => facts.get(name)?.action.kind === 'not-begun')
    .filter(({ name }) => gateProblem(plan, facts, name) === undefined)
    .toSorted((a, b) => order(a) - order(b));
  if (ready !== undefined && order(ready) === -1) return startOf(facts, ready);
  const isUnfinished = plan.phase === 'running' || plan.phase === 'paused';
  if (isUnfinished && plan.nodes.every(({ progress }) => progress.state === 'done'))
    return { kind: 'finish' };
  if (plan.phase === 'running') {
    const step = nextTurn(plan, facts, acting.length);
    if (step !== undefined) return step;
  }
  return ready === undefined ? { kind: 'wait', reason: waitReason(plan, facts) } : startOf(facts, ready);
}

function startOf(facts: ClusterFacts, node: PlannedNode): RolloutStep {
  const action = facts.get(node.name)?.action;
  const reason = action?.kind === 'not-begun' ? action.reason : undefined;
  return { kind: 'start', node, ...(reason ? { reason } : {}) };
}

function endOfAct(
  { limitMs }: RolloutPlan,
  facts: ClusterFacts,
  { name, attempt, progress }: PlannedNode,
): RolloutStep | undefined {
  const known = facts.get(name);
  if (known?.action.kind === 'failed') return { kind: 'fail', node: name, reason: known.action.reason };
  if (known?.action.kind === 'withdrawn')
    return attempt < planLimits.attempts
      ? { kind: 'revoke', node: name }
      : { kind: 'fail', node: name, reason: `it had ${attempt} attempts` };
  if (known?.action.kind === 'done' && known.wellness.isWell) return { kind: 'confirm', node: name };
  if (progress.state !== 'acting' || progress.spentMs < limitMs) return undefined;
  const seconds = Math.round(limitMs / 1000);
  return {
    kind: 'fail',
    node: name,
    reason: `not well ${seconds} s after its turn began: ${actText(facts, name)}`,
  };
}

/** What the driver does next: a node gets its turn, or the roll-out pauses; `undefined` while no node may begin. */
function nextTurn(plan: RolloutPlan, facts: ClusterFacts, acting: number): RolloutStep | undefined {
  const { nodes, pauseAfter } = plan;
  if (pauseAfter > 0) {
    const done = nodes.filter(({ progress }) => progress.state === 'done').length;
    if (done >= pauseAfter) return { kind: 'pause', reason: `${done} of ${nodes.length} nodes are done` };
    if (done + acting >= pauseAfter) return undefined;
  }
  const ready = candidates(plan).find(
    ({ name }) => facts.get(name)?.wellness.isWell === true && gateProblem(plan, facts, name) === undefined,
  );
  return ready && { kind: 'grant', node: ready.name };
}

/** The nodes that wait for a turn, of which any may be the next: workers only when all control planes are done. */
function candidates({ nodes }: RolloutPlan): readonly PlannedNode[] {
  const isLeft = nodes.some(({ role, progress }) => role === 'control-plane' && progress.state !== 'done');
  return nodes.filter(
    ({ role, progress }) => progress.state === 'waiting' && (role === 'control-plane' || !isLeft),
  );
}

/** What a plan waits for that has no step now. It always names something. */
function waitReason(plan: RolloutPlan, facts: ClusterFacts): string {
  const acting = plan.nodes.filter(({ progress }) => progress.state === 'acting');
  if (acting.length > 0) {
    const held = acting.find(({ name }) => facts.get(name)?.action.kind === 'not-begun');
    const problem = held && plan.phase === 'running' ? gateProblem(plan, facts, held.name) : undefined;
    if (held !== undefined && problem !== undefined) return `${held.name} does not begin: ${problem}`;
    return acting
      .map(
        (node) => `${actText(facts, node.name)}${plan.phase === 'aborted' ? endText(plan, facts, node) : ''}`,
      )
      .join(', ');
  }
  const [first] = candidates(plan);
  if (plan.phase !== 'running' || first === undefined) return 'somebody to resume or abort the plan';
  const wellness = facts.get(first.name)?.wellness;
  const own = wellness?.isWell === false ? `it is not well (${wellness.reason})` : undefined;
  return `the turn of ${first.name}: ${gateProblem(plan, facts, first.name) ?? own ?? 'its facts are not known'}`;
}

/** When a plan that is aborted stops to wait for a node that acts. */
function endText({ limitMs }: RolloutPlan, facts: ClusterFacts, { name, progress }: PlannedNode): string {
  const leftMs = limitMs - (progress.state === 'acting' ? progress.spentMs : 0);
  const minutes = Math.max(1, Math.ceil(leftMs / 60_000));
  const again = 'or until the roll-out is aborted again, which gives up on nodes that do not answer';
  const isSilent = facts.get(name)?.action.kind === 'unknown';
  return `: for at most ${minutes} minute${minutes === 1 ? '' : 's'}${isSilent ? `, ${again}` : ''}`;
}

function actText(facts: ClusterFacts, name: string): string {
  const known = facts.get(name);
  // Every node of the plan has facts: see withPlannedNodes().
  if (known === undefined) return `${name} has no facts`;
  const texts = {
    unknown: 'does not answer',
    'not-begun': 'has not begun',
    preparing: 'gets ready',
    running: 'is acting',
    done: 'has acted',
    failed: 'has failed',
    withdrawn: 'has not begun',
  } as const;
  const text = texts[known.action.kind];
  const { action } = known;
  const reason = 'reason' in action && action.reason ? `: ${action.reason}` : '';
  // What it does says why it is not well.
  if (action.kind === 'running' && reason !== '') return `${name} ${text}${reason}`;
  const detail = known.wellness.isWell || known.wellness.reason === text ? '' : ` (${known.wellness.reason})`;
  return `${name} ${text}${reason}${detail}`;
}
