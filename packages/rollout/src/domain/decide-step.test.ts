import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyStep, spendTime } from './apply-step.ts';
import { changePlan } from './change-plan.ts';
import { createPlan } from './create-plan.ts';
import { decideStep } from './decide-step.ts';
import type { ActionState, ClusterFacts } from './gate.ts';
import { previewPlan } from './preview-plan.ts';
import {
  isGranted,
  isOver,
  type NodeProgress,
  type NodeRole,
  planLimits,
  type RolloutPlan,
} from './rollout-plan.ts';

const roles: Readonly<Record<string, NodeRole>> = {
  ...{ cp1: 'control-plane', cp2: 'control-plane', cp3: 'control-plane' },
  ...{ w1: 'worker', w2: 'worker', w3: 'worker' },
};
const minute = 60_000;

/** A plan whose nodes are `waiting` but for those that are given. */
function planOf(
  progress: Readonly<Record<string, NodeProgress>>,
  rest: Partial<RolloutPlan> = {},
): RolloutPlan {
  const result = createPlan({
    id: 'a'.repeat(32),
    action: 'upgrade',
    nodes: Object.entries(roles).map(([name, role]) => ({ name, role })),
    limitMs: 10 * minute,
  });
  assert.ok(result.kind === 'plan');
  const nodes = result.plan.nodes.map((node) => ({
    ...node,
    progress: progress[node.name] ?? node.progress,
  }));
  return { ...result.plan, nodes, ...rest };
}

/** A well cluster, but for the nodes that are given with a reason. */
function factsOf(
  ill: Readonly<Record<string, string>> = {},
  actions: Readonly<Record<string, ActionState>> = {},
): ClusterFacts {
  return new Map(
    Object.entries(roles).map(([name, role]) => {
      const reason = ill[name];
      return [
        name,
        {
          role,
          wellness: reason === undefined ? { isWell: true } : { isWell: false, reason },
          action: actions[name] ?? { kind: 'not-begun' },
        },
      ];
    }),
  );
}

const done: NodeProgress = { state: 'done' };
const acting: NodeProgress = { state: 'acting', spentMs: 0 };
const controlPlanesDone = { cp1: done, cp2: done, cp3: done };

test('createPlan() puts control planes first, and refuses a node twice', () => {
  const nodes = [
    { name: 'w1', role: 'worker' },
    { name: 'cp1', role: 'control-plane' },
  ] as const;
  const init = { id: 'a'.repeat(32), action: 'upgrade', limitMs: minute };
  const result = createPlan({ ...init, nodes });
  assert.ok(result.kind === 'plan');
  assert.deepEqual(
    result.plan.nodes.map(({ name }) => name),
    ['cp1', 'w1'],
  );
  assert.deepEqual(createPlan({ ...init, nodes: [nodes[0], nodes[0]] }), {
    ...{ kind: 'refused', reason: 'the plan is not valid: a node is in it twice' },
  });
});

test('decideStep() takes control planes one at a time, whatever the allowed number, and workers after them', () => {
  const wide = { maxUnavailable: 3 };
  assert.deepEqual(decideStep(planOf({}, wide), factsOf()), { kind: 'grant', node: 'cp1' });
  const busy = factsOf({ cp1: 'acting' }, { cp1: { kind: 'running' } });
  assert.deepEqual(decideStep(planOf({ cp1: acting }, wide), busy), {
    ...{ kind: 'wait', reason: 'cp1 is acting (acting)' },
  });
  assert.deepEqual(decideStep(planOf({ cp1: done, cp2: done }, wide), factsOf()), {
    kind: 'grant',
    node: 'cp3',
  });
  assert.deepEqual(decideStep(planOf(controlPlanesDone), factsOf()), { kind: 'grant', node: 'w1' });
});

test('decideStep() keeps to the allowed number of workers, and counts those that are not well anyway', () => {
  const plan = planOf({ ...controlPlanesDone, w1: acting }, { maxUnavailable: 2 });
  const running = { w1: { kind: 'running' } } as const;
  assert.deepEqual(decideStep(plan, factsOf({}, running)), { kind: 'grant', node: 'w2' });
  assert.equal(decideStep(plan, factsOf({ w3: 'off' }, running)).kind, 'wait');
  assert.equal(decideStep({ ...plan, maxUnavailable: 1 }, factsOf({}, running)).kind, 'wait');
  // A node that is not well is not touched, and the next one takes its place.
  assert.deepEqual(decideStep(planOf(controlPlanesDone, { maxUnavailable: 2 }), factsOf({ w1: 'off' })), {
    ...{ kind: 'grant', node: 'w2' },
  });
});

test('decideStep() names what the turn of a node waits for', () => {
  for (const [plan, ill, reason] of [
    [planOf({}), { cp3: 'no leader' }, 'the turn of cp1: cp3 is not well (no leader)'],
    [planOf({ cp1: done, cp2: done }), { cp3: 'off' }, 'the turn of cp3: it is not well (off)'],
    [
      planOf(controlPlanesDone, { maxUnavailable: 3 }),
      { cp2: 'off' },
      'the turn of w1: cp2 is not well (off)',
    ],
  ] as const)
    assert.deepEqual(decideStep(plan, factsOf(ill)), { kind: 'wait', reason });
});

test('decideStep() waits when the plan gives a control plane the role of a worker', () => {
  const facts = new Map(
    [...factsOf()].map(([name, one]) => [
      name,
      name === 'w1' ? { ...one, role: 'control-plane' as const } : one,
    ]),
  );
  assert.match(
    JSON.stringify(decideStep(planOf(controlPlanesDone), facts)),
    /"wait".*w1 is a control-plane in the cluster, and a worker in the plan: abort the plan/,
  );
});

test('a node of the plan that the cluster does not list is not well, as one that does not answer', () => {
  const without = (name: string) => new Map([...factsOf()].filter(([one]) => one !== name));
  const plan = planOf({ ...controlPlanesDone, w1: acting }, { maxUnavailable: 2 });
  // It restarts, and others go on beside it as they may.
  assert.deepEqual(decideStep(plan, without('w1')), { kind: 'grant', node: 'w2' });
  assert.deepEqual(decideStep({ ...plan, maxUnavailable: 1 }, without('w1')), {
    ...{ kind: 'wait', reason: 'w1 does not answer' },
  });
  assert.deepEqual(decideStep(planOf({ cp1: done, cp2: acting }), without('cp2')), {
    ...{ kind: 'wait', reason: 'cp2 does not answer' },
  });
  assert.deepEqual(decideStep(planOf({ cp1: done }), without('cp3')), {
    ...{ kind: 'wait', reason: 'the turn of cp2: cp3 is not well (does not answer)' },
  });
  assert.equal(previewPlan(planOf({}), without('w1'))[0]?.refusedBy, 'w1 is not well (does not answer)');
  const aged = spendTime(plan, without('w1'), 5000);
  assert.deepEqual(aged.nodes[3]?.progress, { state: 'acting', spentMs: 5000 });
});

test('decideStep() asks a node to begin only while the others are well, and does not count that time', () => {
  const plan = planOf({ cp1: acting });
  const step = decideStep(plan, factsOf());
  assert.equal(step.kind === 'start' && step.node.name, 'cp1');
  const held = factsOf({ cp2: 'off' });
  assert.deepEqual(decideStep(plan, held), {
    ...{ kind: 'wait', reason: 'cp1 does not begin: cp2 is not well (off)' },
  });
  assert.deepEqual(spendTime(plan, held, 5000), plan);
  assert.deepEqual(spendTime(plan, factsOf(), 5000), planOf({ cp1: { state: 'acting', spentMs: 5000 } }));
});

test('decideStep() lets no node that gets ready keep another from its turn, and does not count that time', () => {
  const plan = planOf({ ...controlPlanesDone, w1: acting, w2: acting }, { maxUnavailable: 3 });
  const preparing = { kind: 'preparing' } as const;
  // w1 pulls, w2 has not been asked yet.
  const step = decideStep(plan, factsOf({}, { w1: preparing }));
  assert.equal(step.kind === 'start' && step.node.name, 'w2');
  assert.deepEqual(decideStep(plan, factsOf({}, { w1: preparing, w2: preparing })), {
    kind: 'grant',
    node: 'w3',
  });
  const two = { ...plan, maxUnavailable: 2 };
  assert.deepEqual(decideStep(two, factsOf({}, { w1: preparing, w2: preparing })), {
    ...{ kind: 'wait', reason: 'w1 gets ready, w2 gets ready' },
  });
  const aged = spendTime(two, factsOf({}, { w1: preparing, w2: { kind: 'running' } }), 5000);
  assert.deepEqual(
    aged.nodes.slice(3, 5).map(({ progress }) => progress),
    [acting, { state: 'acting', spentMs: 5000 }],
  );
  // A plan that does not run any more takes the turn back.
  const paused = decideStep({ ...two, phase: 'paused' }, factsOf({}, { w1: preparing, w2: preparing }));
  assert.equal(paused.kind === 'withdraw' && paused.node.name, 'w1');
});

test('what a node does, and why its start was refused, is what the plan waits for', () => {
  const plan = planOf({ cp1: acting });
  const waits = (ill: Readonly<Record<string, string>>, action: ActionState) =>
    applyStep(plan, decideStep(plan, factsOf(ill, { cp1: action }))).waitsFor;
  const reason = 'drain: a budget keeps pod a/b';
  assert.equal(
    waits({ cp1: 'its upgrade is at the step drain' }, { kind: 'running', reason }),
    `cp1 is acting: ${reason}`,
  );
  assert.equal(
    waits({}, { kind: 'preparing', reason: 'it gets the artefact' }),
    'cp1 gets ready: it gets the artefact',
  );
  assert.equal(waits({}, { kind: 'not-begun', reason: 'etcd refuses' }), 'cp1 to begin: etcd refuses');
  const late = planOf({ cp1: { state: 'acting', spentMs: 10 * minute } });
  const failed = decideStep(late, factsOf({}, { cp1: { kind: 'not-begun', reason: 'etcd refuses' } }));
  assert.match(failed.kind === 'fail' ? failed.reason : '', /cp1 has not begun: etcd refuses$/);
});

test('decideStep() confirms a node that has acted only when it is well, and stops the plan when it is not in time', () => {
  const acted = { cp1: { kind: 'done' } } as const;
  assert.deepEqual(decideStep(planOf({ cp1: acting }), factsOf({}, acted)), { kind: 'confirm', node: 'cp1' });
  assert.equal(decideStep(planOf({ cp1: acting }), factsOf({ cp1: 'no kubelet' }, acted)).kind, 'wait');
  const late = planOf({ cp1: { state: 'acting', spentMs: 10 * minute } });
  const step = decideStep(late, factsOf({ cp1: 'no kubelet' }, acted));
  const reason = 'not well 600 s after its turn began: cp1 has acted (no kubelet)';
  assert.deepEqual(step, { kind: 'fail', node: 'cp1', reason });
  const stopped = applyStep(late, step);
  assert.deepEqual([stopped.phase, stopped.reason], ['stopped', `cp1: ${reason}`]);
  assert.deepEqual(decideStep(stopped, factsOf()), {
    kind: 'wait',
    reason: 'somebody to resume or abort the plan',
  });
});

test('decideStep() touches no other node after a failure: one that has its turn and has not begun gives it back', () => {
  const plan = planOf({ ...controlPlanesDone, w1: acting, w2: acting }, { maxUnavailable: 2 });
  const failed = { w1: { kind: 'failed', reason: 'it went back' } } as const;
  const stopped = applyStep(plan, decideStep(plan, factsOf({}, failed)));
  assert.deepEqual(stopped.nodes[3]?.progress, { state: 'failed', reason: 'it went back' });
  const step = decideStep(stopped, factsOf({}, failed));
  assert.equal(step.kind === 'withdraw' && step.node.name, 'w2');
  assert.equal(isGranted(stopped, { id: plan.id, name: 'w2', attempt: 1 }), false);
  const withdrawn = factsOf({}, { ...failed, w2: { kind: 'withdrawn' } });
  const back = applyStep(stopped, decideStep(stopped, withdrawn));
  assert.deepEqual(back.nodes[4], { name: 'w2', role: 'worker', attempt: 2, progress: { state: 'waiting' } });
});

test('a plan pauses after the given number of nodes, goes on when it is resumed, and ends when all are done', () => {
  const first = planOf({ cp1: done }, { pauseAfter: 1 });
  const paused = applyStep(first, decideStep(first, factsOf()));
  assert.deepEqual([paused.phase, paused.reason], ['paused', '1 of 6 nodes are done']);
  assert.equal(decideStep(paused, factsOf()).kind, 'wait');
  const resumed = changePlan(paused, 'resume');
  assert.ok(resumed.kind === 'plan');
  assert.deepEqual(decideStep(resumed.plan, factsOf()), { kind: 'grant', node: 'cp2' });
  const all = planOf({ ...controlPlanesDone, w1: done, w2: done, w3: done });
  assert.equal(applyStep(all, decideStep(all, factsOf())).phase, 'done');
});

test('changePlan() gives nodes that failed another attempt, and refuses what is over', () => {
  const failed: NodeProgress = { state: 'failed', reason: 'it went back' };
  const stopped = planOf({ cp1: failed }, { phase: 'stopped', reason: 'cp1: it went back' });
  const resumed = changePlan(stopped, 'resume');
  assert.ok(resumed.kind === 'plan');
  assert.deepEqual(
    [resumed.plan.phase, resumed.plan.nodes[0]],
    ['running', { name: 'cp1', role: 'control-plane', attempt: 2, progress: { state: 'waiting' } }],
  );
  const aborted = changePlan(stopped, 'abort');
  assert.ok(aborted.kind === 'plan' && aborted.plan.phase === 'aborted');
  assert.equal(changePlan(aborted.plan, 'resume').kind, 'refused');
  assert.equal(changePlan(stopped, 'pause').kind, 'refused');
  const worn = {
    ...stopped,
    nodes: stopped.nodes.map((node) => ({ ...node, attempt: planLimits.attempts })),
  };
  assert.equal(changePlan(worn, 'resume').kind, 'refused');
});

test('a second abort gives up on nodes that do not answer, and until then the plan says whom it waits for, and how long', () => {
  const plan = planOf({ cp1: done, cp2: { state: 'acting', spentMs: minute } });
  const abort = (of: RolloutPlan, facts?: ClusterFacts) => {
    const result = changePlan(of, 'abort', facts);
    return result.kind === 'plan' ? result.plan : assert.fail(result.reason);
  };
  const away = factsOf({ cp2: 'does not answer' }, { cp2: { kind: 'unknown' } });
  // The first one gives up on nobody.
  const asked = abort(plan, away);
  assert.equal(asked.nodes[1]?.progress.state, 'acting');
  // The same request again, because its answer was lost.
  assert.deepEqual(abort(asked, away), asked);
  const reason =
    'cp2 does not answer: for at most 9 minutes, or until the roll-out is aborted again, which gives up on nodes that do not answer';
  assert.deepEqual(decideStep(asked, away), { kind: 'wait', reason });
  const first = applyStep(asked, decideStep(asked, away));
  assert.deepEqual(abort(first, factsOf({}, { cp2: { kind: 'running' } })).nodes, first.nodes);
  assert.deepEqual(abort(first), first);
  const second = abort(first, away);
  assert.deepEqual(second.nodes[1]?.progress, {
    ...{ state: 'failed', reason: 'it did not answer when the roll-out was aborted again' },
  });
  assert.deepEqual([isOver(first), isOver(second)], [false, true]);
  // A node that the cluster does not list does not answer either.
  assert.equal(isOver(abort(first, new Map())), true);
});

test('isGranted() lets only the node begin that has its turn, for this attempt of this plan', () => {
  const plan = planOf({ cp1: acting });
  const asked = { id: plan.id, name: 'cp1', attempt: 1 };
  assert.equal(isGranted(plan, asked), true);
  for (const other of [{ id: 'b'.repeat(32) }, { name: 'cp2' }, { name: 'w1' }, { attempt: 2 }])
    assert.equal(isGranted(plan, { ...asked, ...other }), false);
  assert.equal(isGranted({ ...plan, phase: 'paused' }, asked), false);
});

test('previewPlan() has a row for each node that is left, with what would refuse it', () => {
  const rows = previewPlan(
    planOf({ cp1: done }, { maxUnavailable: 2, pauseAfter: 2 }),
    factsOf({ w3: 'off' }),
  );
  const worker = {
    role: 'worker',
    action: 'upgrade',
    maxUnavailable: 2,
    pausesAfter: false,
    cannotAct: undefined,
  } as const;
  const controlPlane = {
    role: 'control-plane',
    action: 'upgrade',
    maxUnavailable: 1,
    cannotAct: undefined,
  } as const;
  assert.deepEqual(rows, [
    { name: 'cp2', ...controlPlane, pausesAfter: true, refusedBy: undefined },
    { name: 'cp3', ...controlPlane, pausesAfter: false, refusedBy: undefined },
    { name: 'w1', ...worker, refusedBy: undefined },
    { name: 'w2', ...worker, refusedBy: undefined },
    { name: 'w3', ...worker, refusedBy: 'w3 is not well (off)' },
  ]);
});

test('previewPlan() says that a node cannot act at all before what refuses its turn now', () => {
  const facts = new Map(factsOf({ w3: 'off' }));
  const known = facts.get('w2') ?? assert.fail();
  facts.set('w2', { ...known, cannotAct: 'it has no artefact' });
  const rows = previewPlan(planOf(controlPlanesDone), facts);
  assert.deepEqual(
    rows.map(({ name, cannotAct, refusedBy }) => [name, cannotAct, refusedBy]),
    [
      ['w1', undefined, 'w3 is not well (off)'],
      ['w2', 'it has no artefact', 'it has no artefact'],
      ['w3', undefined, 'w3 is not well (off)'],
    ],
  );
});
