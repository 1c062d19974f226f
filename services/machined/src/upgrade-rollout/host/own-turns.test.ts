// The turns of a node, and those who want one that is not theirs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { FakeTimers } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import type { OwnUpgrade } from '../../upgrade-calls/upgrade-calls-topic.ts';
import type { PlanState } from '../../upgrade-plan/upgrade-plan-topic.ts';
import { type NodeTurn, nodePlanIdOf } from '../domain/node-turn-id.ts';
import { rolloutLimits } from '../domain/rollout-limits.ts';
import { OwnTurns, type OwnTurnsInit } from './own-turns.ts';

const never = new AbortController().signal;
const turn: NodeTurn = { rollout: 'a'.repeat(32), node: 'node04', role: 'worker', attempt: 1 };
const wanted = { image: 'registry.test/installer@sha256:1', allowsDowngrade: false, dropsExtensions: false };

function openTurns(change: Partial<OwnTurnsInit> = {}) {
  const timers = new FakeTimers(0);
  const begun: OwnUpgrade[] = [];
  const pulls: string[] = [];
  let plan: PlanState['plan'];
  const turns = new OwnTurns({
    ...{ hostname: () => 'node04', role: () => 'worker', timers, signal: never },
    current: () => ({ plan, waitsFor: '' }),
    grantProblem: async () => undefined,
    own: {
      refusal: undefined,
      async pull(image) {
        pulls.push(image);
        return image;
      },
      begin: async (upgrade) => void begun.push(upgrade),
    },
    ...change,
  });
  const forget = () => {
    plan = 'unknown';
  };
  const setPlan = (phase: 'running' | 'done' | 'failed', id: string, reason = '') => {
    plan = {
      ...{ id, kind: 'upgrade', image: wanted.image, allowsDowngrade: false, dropsExtensions: false },
      ...{ ignoresEtcd: false, restart: 'graceful', actorId: '', phase, step: 'write', reason },
      ...{ slotBefore: 'A', slot: '', restarts: 0 },
    };
  };
  return { turns, timers, begun, pulls, setPlan, forget };
}

async function ticketOf(turns: OwnTurns, asked = turn): Promise<Buffer> {
  turns.prepare(asked, wanted);
  await turnOfLoop();
  const ticket = turns.prepare(asked, wanted);
  assert.ok(ticket !== undefined);
  return ticket;
}

test('a turn begins once, with the plan whose id is made of it', async () => {
  const { turns, begun, pulls, setPlan } = openTurns();
  assert.equal(turns.progress(turn, false).state, 'not-begun');
  const ticket = await ticketOf(turns);
  await turns.begin(turn, ticket, never);
  assert.deepEqual(begun, [{ ...wanted, id: nodePlanIdOf(turn) }]);
  assert.deepEqual(pulls, [wanted.image]);
  assert.equal(turns.progress(turn, false).state, 'running');
  assert.equal(turns.prepare(turn, wanted), undefined);
  assert.equal(turns.withdraw(turn), 'running');
  await assert.rejects(turns.begin(turn, ticket, never), { kind: 'failed-precondition' });
  setPlan('done', nodePlanIdOf(turn));
  assert.deepEqual(turns.progress(turn, false), { state: 'done', reason: '' });
  assert.equal(begun.length, 1);
});

for (const [name, other] of [
  ['another node', { node: 'node05' }],
  ['another role', { role: 'control-plane' }],
] as const)
  test(`a worker that is asked to take the turn of ${name} does nothing`, async () => {
    const { turns, begun, pulls } = openTurns();
    const foreign: NodeTurn = { ...turn, ...other };
    const ticket = await ticketOf(turns);
    assert.throws(() => turns.prepare(foreign, wanted), { kind: 'failed-precondition' });
    await assert.rejects(turns.begin(foreign, ticket, never), { kind: 'failed-precondition' });
    assert.deepEqual([begun, pulls], [[], [wanted.image]]);
  });

test('a ticket is valid once, for seconds, and for its own turn and system', async () => {
  const { turns, begun, timers } = openTurns();
  const late = await ticketOf(turns);
  timers.step(10_000 + 1);
  await assert.rejects(turns.begin(turn, late, never), /the ticket is not valid/);
  const ticket = await ticketOf(turns);
  await assert.rejects(turns.begin(turn, Buffer.alloc(32), never), /the ticket is not valid/);
  await assert.rejects(turns.begin(turn, ticket, never), /the ticket is not valid/);
  await assert.rejects(turns.begin({ ...turn, attempt: 2 }, ticket, never), /not prepared/);
  assert.throws(() => turns.prepare(turn, { ...wanted, image: 'foreign' }), /another system/);
  assert.deepEqual(begun, []);
});

test('a turn that the plan in etcd does not grant does not begin', async () => {
  const { turns, begun } = openTurns({ grantProblem: async () => 'the plan names another system' });
  const ticket = await ticketOf(turns);
  await assert.rejects(turns.begin(turn, ticket, never), {
    message: 'the turn is not granted: the plan names another system',
  });
  assert.deepEqual(begun, []);
  assert.equal(turns.progress(turn, false).state, 'not-begun');
});

test('a turn that was withdrawn never begins, and a request of an earlier attempt does nothing', async () => {
  const { turns, begun } = openTurns();
  const ticket = await ticketOf(turns);
  assert.equal(turns.withdraw(turn), 'withdrawn');
  await assert.rejects(turns.begin(turn, ticket, never), /not prepared/);
  assert.equal(turns.prepare(turn, wanted), undefined);
  const second = { ...turn, attempt: 2 };
  await ticketOf(turns, second);
  assert.throws(() => turns.prepare(turn, wanted), /a later attempt/);
  assert.equal(turns.withdraw(turn), 'withdrawn');
  assert.equal(turns.progress(second, false).state, 'not-begun');
  assert.deepEqual(begun, []);
});

test('while the record cannot be read the turn is unknown: it neither begins nor is withdrawn', () => {
  const { turns, forget } = openTurns();
  forget();
  assert.equal(turns.progress(turn, false).state, 'unknown');
  assert.equal(turns.withdraw(turn), 'unknown');
  assert.equal(turns.prepare(turn, wanted), undefined);
});

test('a pull that fails, and a node that no call upgrades, fail the turn', async () => {
  const failing = { begin: async () => {}, refusal: undefined };
  for (const own of [
    { ...failing, pull: async () => Promise.reject(new Fault('not-found', 'no such image')) },
    { ...failing, refusal: 'no such image', pull: async () => '' },
  ]) {
    const { turns } = openTurns({ own });
    turns.prepare(turn, wanted);
    await turnOfLoop();
    assert.deepEqual(turns.progress(turn, false), {
      ...{ state: 'failed', reason: 'the artefact: no such image' },
    });
  }
});

test('a pull that fails for a moment is tried again until its time is over, and says why meanwhile', async () => {
  for (const kind of ['unavailable', 'deadline-exceeded', 'resource-exhausted'] as const) {
    let pulls = 0;
    const own = {
      ...{ refusal: undefined, begin: async () => {} },
      pull: async (image: string) => {
        pulls += 1;
        return pulls < 3 ? Promise.reject(new Fault(kind, 'the registry is away')) : image;
      },
    };
    const { turns, timers } = openTurns({ own });
    turns.prepare(turn, wanted);
    await turnOfLoop();
    assert.deepEqual(turns.progress(turn, false), {
      ...{ state: 'preparing', reason: 'it gets the artefact again: the registry is away' },
    });
    for (let again = 0; again < 2; again += 1) {
      timers.step(timers.now() + 15_000);
      await turnOfLoop();
    }
    assert.equal(pulls, 3);
    assert.ok(turns.prepare(turn, wanted) !== undefined);
  }
});

test('a registry that never answers, or is always busy, fails the turn when the time of the pull is over', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let pulls = 0;
  const silent = (_image: string, signal: AbortSignal) =>
    new Promise<string>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Fault('deadline-exceeded', 'no answer')));
    });
  const busy = async () => Promise.reject(new Fault('resource-exhausted', 'too many requests'));
  for (const [pull, reason, most] of [
    [silent, 'no answer', 1],
    [busy, 'too many requests', rolloutLimits.pullMs / rolloutLimits.pullPauseMs + 1],
  ] as const) {
    pulls = 0;
    const counted = (image: string, signal: AbortSignal) => {
      pulls += 1;
      return pull(image, signal);
    };
    const { turns, timers } = openTurns({
      own: { refusal: undefined, begin: async () => {}, pull: counted },
    });
    turns.prepare(turn, wanted);
    while (timers.now() < rolloutLimits.pullMs) {
      assert.equal(turns.progress(turn, false).state, 'preparing');
      context.mock.timers.tick(rolloutLimits.pullPauseMs);
      timers.step(timers.now() + rolloutLimits.pullPauseMs);
      await turnOfLoop();
    }
    assert.deepEqual(turns.progress(turn, false), { state: 'failed', reason: `the artefact: ${reason}` });
    assert.ok(pulls >= 1 && pulls <= most, `${pulls} pulls`);
  }
});

test('a pull that is withdrawn is not tried again', async () => {
  let pulls = 0;
  const pull = async () => {
    pulls += 1;
    return Promise.reject(new Fault('unavailable', 'the registry is away'));
  };
  const { turns, timers } = openTurns({ own: { refusal: undefined, begin: async () => {}, pull } });
  turns.prepare(turn, wanted);
  await turnOfLoop();
  assert.equal(turns.withdraw(turn), 'withdrawn');
  timers.step(15_000);
  await turnOfLoop();
  assert.equal(pulls, 1);
});

test('an artefact that was got long before the turn is got again, because the store may have removed it', async () => {
  const { turns, timers, pulls, begun } = openTurns();
  await ticketOf(turns);
  timers.step(rolloutLimits.preparedMs - 1);
  assert.ok(turns.prepare(turn, wanted) !== undefined);
  assert.equal(pulls.length, 1);
  timers.step(rolloutLimits.preparedMs);
  assert.equal(turns.prepare(turn, wanted), undefined);
  assert.deepEqual(turns.progress(turn, false), { state: 'preparing', reason: 'it gets the artefact' });
  await turnOfLoop();
  await turns.begin(turn, await ticketOf(turns), never);
  assert.deepEqual([pulls.length, begun.length], [2, 1]);
});

test('a start that is refused is tried again for a while, then the turn has failed', async () => {
  const refuse = async () => Promise.reject(new Fault('failed-precondition', 'etcd refuses the upgrade'));
  const { turns, timers } = openTurns({ own: { refusal: undefined, pull: async () => 'x', begin: refuse } });
  await assert.rejects(turns.begin(turn, await ticketOf(turns), never), /etcd refuses/);
  assert.equal(turns.progress(turn, false).state, 'not-begun');
  while (timers.now() < 90_000) {
    assert.equal(turns.progress(turn, false).state, 'not-begun');
    timers.step(timers.now() + 20_000);
    await assert.rejects(turns.begin(turn, await ticketOf(turns), never), /etcd refuses/);
  }
  assert.deepEqual(turns.progress(turn, false), { state: 'failed', reason: 'etcd refuses the upgrade' });
});

test('refusals that are far apart, or whose caller has left, do not add up to a failed turn', async () => {
  const caller = new AbortController();
  const refuse = async () => Promise.reject(new Fault('failed-precondition', 'etcd refuses the upgrade'));
  const { turns, timers } = openTurns({ own: { refusal: undefined, pull: async () => 'x', begin: refuse } });
  await assert.rejects(turns.begin(turn, await ticketOf(turns), never), /etcd refuses/);
  timers.step(90_000);
  await assert.rejects(turns.begin(turn, await ticketOf(turns), never), /etcd refuses/);
  assert.equal(turns.progress(turn, false).state, 'not-begun');
  for (let again = 0; again < 20; again += 1) {
    timers.step(timers.now() + 20_000);
    const ticket = await ticketOf(turns);
    caller.abort();
    await assert.rejects(turns.begin(turn, ticket, caller.signal), { name: 'AbortError' });
  }
  assert.equal(turns.progress(turn, false).state, 'not-begun');
});

test('other upgrades are kept away for a minute after a driver has looked, and no longer', () => {
  const { turns, timers } = openTurns();
  assert.equal(turns.holder, undefined);
  turns.progress(turn, true);
  assert.equal(turns.holder, turn.rollout);
  timers.step(60_000);
  assert.equal(turns.holder, undefined);
  turns.progress(turn, true);
  turns.progress({ ...turn, rollout: 'b'.repeat(32) }, false);
  assert.equal(turns.holder, turn.rollout);
  turns.progress(turn, false);
  assert.equal(turns.holder, undefined);
});

test('10,000 requests of many turns keep one of them', async () => {
  const { turns, pulls } = openTurns();
  for (let attempt = 1; attempt <= 1000; attempt += 1)
    for (let again = 0; again < 10; again += 1) turns.prepare({ ...turn, attempt }, wanted);
  await turnOfLoop();
  assert.equal(pulls.length, 1000);
  assert.ok(turns.prepare({ ...turn, attempt: 1000 }, wanted) !== undefined);
});
