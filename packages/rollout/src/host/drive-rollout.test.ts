import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers, type Timers } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import { createPlan } from '../domain/create-plan.ts';
import type { ClusterFacts } from '../domain/gate.ts';
import { planFromBytes, planToBytes } from '../domain/plan-text.ts';
import type { RolloutPlan } from '../domain/rollout-plan.ts';
import { driveRollout } from './drive-rollout.ts';
import { beginPlan, requestPlan } from './request-plan.ts';
import type { PlanStore, StoredPlan } from './rollout-ports.ts';
import type { Turn } from './turn.ts';

const { signal } = new AbortController();
const created = createPlan({
  id: '0'.repeat(32),
  action: 'upgrade',
  nodes: [
    { name: 'cp1', role: 'control-plane' },
    { name: 'w1', role: 'worker' },
  ],
  limitMs: 60_000,
});
assert.ok(created.kind === 'plan');
const { plan } = created;

/** Time that passes only in pauses, which take none of the real time. */
function quickTimers(): Timers {
  let elapsedMs = 0;
  return {
    now: () => elapsedMs,
    monotonicMs: () => elapsedMs,
    after(delayMs, action) {
      elapsedMs += delayMs;
      return systemTimers.after(0, action);
    },
  };
}

class MemoryStore implements PlanStore {
  stored: StoredPlan | undefined;
  async read() {
    return this.stored;
  }
  async write(bytes: Uint8Array, { revision, turn }: { readonly revision: bigint; readonly turn?: Turn }) {
    if ((this.stored?.revision ?? 0n) !== revision || turn?.isHeld() === false) return false;
    this.stored = { bytes, revision: revision + 1n };
    return true;
  }
  async remove(revision: bigint) {
    if (this.stored?.revision !== revision) return false;
    this.stored = undefined;
    return true;
  }
  plan(): RolloutPlan {
    const result = planFromBytes(this.stored?.bytes ?? assert.fail('no plan'));
    return result.kind === 'plan' ? result.plan : assert.fail(result.reason);
  }
}

/** Drives the plan, and dies at call `diesAt` of a port: before it takes effect, or after it with `late`. */
async function drive(store: MemoryStore, acts: string[], diesAt: number, late: boolean) {
  const death = new AbortController();
  const waits: string[] = [];
  let calls = 0;
  const call = async <T>(effect: () => Promise<T> | T): Promise<T> => {
    calls += 1;
    const isLast = calls === diesAt;
    if (isLast && !late) death.abort(new Error('died'));
    death.signal.throwIfAborted();
    const result = await effect();
    if (isLast) death.abort(new Error('died'));
    death.signal.throwIfAborted();
    return result;
  };
  const outcome = await driveRollout(
    {
      store: {
        read: () => call(() => store.read()),
        write: (bytes, expected) => call(() => store.write(bytes, expected)),
        remove: (revision) => call(() => store.remove(revision)),
      },
      cluster: {
        look: ({ nodes }) =>
          call(
            () =>
              new Map(
                nodes.map(({ name, role, attempt }) => [
                  name,
                  {
                    role,
                    wellness: { isWell: true },
                    action: { kind: acts.includes(`${name} ${attempt}`) ? 'done' : 'not-begun' },
                  },
                ]),
              ),
          ),
      },
      actions: {
        start: (_plan, { name, attempt }) => call(() => void acts.push(`${name} ${attempt}`)),
        withdraw: () => assert.fail('nothing is withdrawn'),
      },
      timers: quickTimers(),
      report: (event) => {
        if (event.kind === 'trouble') waits.push(event.reason);
      },
    },
    { key: 'turn/1', isHeld: () => !death.signal.aborted, [Symbol.asyncDispose]: async () => {} },
    death.signal,
  ).catch((error: Error) => error.message);
  return { outcome, waits, hasDied: death.signal.aborted };
}

test('driveRollout() is followed by another driver when it dies at any call, and each node acts once', async () => {
  for (const late of [false, true]) {
    let hasDied = true;
    for (let diesAt = 1; hasDied; diesAt += 1) {
      assert.ok(diesAt < 100, 'it never ends');
      const store = new MemoryStore();
      const acts: string[] = [];
      await beginPlan(store, plan, signal);
      ({ hasDied } = await drive(store, acts, diesAt, late));
      const { outcome } = await drive(store, acts, 0, late);
      assert.deepEqual([outcome, acts], [{ kind: 'settled' }, ['cp1 1', 'w1 1']], `died at call ${diesAt}`);
      assert.equal(store.plan().phase, 'done');
    }
  }
});

test('driveRollout() stops the plan when a node is not well within its time, however often drivers change', async () => {
  for (const driverMs of [600_000, 45_000]) {
    const store = new MemoryStore();
    await beginPlan(store, plan, signal);
    const timers = quickTimers();
    let drivers = 0;
    while (store.plan().phase === 'running') {
      drivers += 1;
      assert.ok(drivers < 20, 'it never stops');
      const endMs = timers.now() + driverMs;
      const facts = (nodes: RolloutPlan['nodes']) =>
        new Map(
          nodes.map(({ name, role, progress }) => [
            name,
            progress.state === 'acting'
              ? { role, wellness: { isWell: false, reason: 'off' }, action: { kind: 'running' } }
              : { role, wellness: { isWell: true }, action: { kind: 'not-begun' } },
          ]),
        ) as ClusterFacts;
      await driveRollout(
        {
          store,
          cluster: { look: async ({ nodes }) => facts(nodes) },
          actions: { start: () => assert.fail('it has begun'), withdraw: () => assert.fail('it has begun') },
          timers,
          report: () => {},
        },
        { key: 'turn/1', isHeld: () => timers.now() < endMs, [Symbol.asyncDispose]: async () => {} },
        signal,
      );
    }
    assert.equal(store.plan().reason, 'cp1: not well 60 s after its turn began: cp1 is acting (off)');
    assert.ok(timers.now() >= 60_000, `${timers.now()} ms`);
  }
});

test('driveRollout() stops the plan when a node refuses to begin for its whole time', async () => {
  const store = new MemoryStore();
  await beginPlan(store, plan, signal);
  const timers = quickTimers();
  const facts = new Map(
    plan.nodes.map(({ name, role }) => [
      name,
      { role, wellness: { isWell: true }, action: { kind: 'not-begun' } } as const,
    ]),
  );
  const troubles = new Set<string>();
  const waits = new Set<string>();
  await driveRollout(
    {
      store,
      cluster: { look: async () => facts },
      actions: {
        start: async () => {
          waits.add(store.plan().waitsFor);
          throw new Fault('failed-precondition', 'no space left');
        },
        withdraw: () => assert.fail('nothing is withdrawn'),
      },
      timers,
      report: (event) => void (event.kind === 'trouble' && troubles.add(event.reason)),
    },
    { key: 'turn/1', isHeld: () => timers.now() < 600_000, [Symbol.asyncDispose]: async () => {} },
    signal,
  );
  const reason = 'cp1: not well 60 s after its turn began: cp1 has not begun';
  assert.deepEqual(
    [store.plan().phase, store.plan().reason, [...troubles], [...waits]],
    ['stopped', reason, ['no space left'], ['cp1 to begin']],
  );
});

test('a node that answers each request to begin with an error keeps no other from its turn, and is asked again', async () => {
  const three = createPlan({
    ...{ id: '0'.repeat(32), action: 'upgrade', limitMs: 600_000, maxUnavailable: 2 },
    nodes: ['w1', 'w2', 'w3'].map((name) => ({ name, role: 'worker' })),
  });
  assert.ok(three.kind === 'plan');
  const store = new MemoryStore();
  await beginPlan(store, three.plan, signal);
  const timers = quickTimers();
  const done = new Set<string>();
  const asked: string[] = [];
  await driveRollout(
    {
      store,
      cluster: {
        look: async ({ nodes }) =>
          new Map(
            nodes.map(({ name, role }) => [
              name,
              { role, wellness: { isWell: true }, action: { kind: done.has(name) ? 'done' : 'not-begun' } },
            ]),
          ),
      },
      actions: {
        async start(_plan, { name }) {
          asked.push(name);
          if (name === 'w1' && !(done.has('w2') && done.has('w3'))) throw new Fault('internal', 'a bug');
          done.add(name);
        },
        withdraw: () => assert.fail('nothing is withdrawn'),
      },
      timers,
      report: () => {},
    },
    { key: 'turn/1', isHeld: () => timers.now() < 3_600_000, [Symbol.asyncDispose]: async () => {} },
    signal,
  );
  assert.deepEqual([store.plan().phase, asked], ['done', ['w1', 'w2', 'w3', 'w1']]);
});

test('of several nodes that answer with an error each is asked in turn', async () => {
  const three = createPlan({
    ...{ id: '0'.repeat(32), action: 'upgrade', limitMs: 60_000, maxUnavailable: 3 },
    nodes: ['w1', 'w2', 'w3'].map((name) => ({ name, role: 'worker' })),
  });
  assert.ok(three.kind === 'plan');
  const store = new MemoryStore();
  await beginPlan(store, three.plan, signal);
  const timers = quickTimers();
  const asked: string[] = [];
  await driveRollout(
    {
      store,
      cluster: {
        look: async ({ nodes }) =>
          new Map(
            nodes.map(({ name, role }) => [
              name,
              { role, wellness: { isWell: true }, action: { kind: 'not-begun' } },
            ]),
          ),
      },
      actions: {
        async start(_plan, { name }) {
          asked.push(name);
          throw new Fault('internal', 'a bug');
        },
        withdraw: async () => {},
      },
      timers,
      report: () => {},
    },
    { key: 'turn/1', isHeld: () => asked.length < 9, [Symbol.asyncDispose]: async () => {} },
    signal,
  );
  const round = ['w1', 'w2', 'w3'];
  assert.deepEqual(asked, [...round, ...round, ...round]);
});

test('driveRollout() leaves a plan alone that is not valid', async () => {
  const store = new MemoryStore();
  const bytes = Buffer.from(planToBytes(plan)).fill('x', 0, 4);
  store.stored = { bytes, revision: 1n };
  const acts: string[] = [];
  const { outcome } = await drive(store, acts, 0, false);
  assert.deepEqual(outcome, {
    kind: 'invalid',
    reason: 'the plan of the roll-out in etcd is not valid: it is not JSON',
  });
  assert.deepEqual([store.stored, acts], [{ bytes, revision: 1n }, []]);
});

test('beginPlan() refuses a second roll-out while one is not over, and a repeated request changes nothing', async () => {
  const store = new MemoryStore();
  const second = { ...plan, id: '1'.repeat(32) };
  assert.equal((await beginPlan(store, plan, signal)).kind, 'plan');
  assert.equal((await beginPlan(store, plan, signal)).kind, 'plan');
  assert.deepEqual(await beginPlan(store, second, signal), {
    kind: 'refused',
    reason: 'another roll-out is running (upgrade): wait for it, or abort it',
  });
  await requestPlan(store, 'abort', signal);
  assert.equal((await beginPlan(store, second, signal)).kind, 'plan');
  assert.equal(store.plan().id, second.id);
});

test('beginPlan() stores one of two plans that begin at the same moment', async () => {
  const store = new MemoryStore();
  const second = { ...plan, id: '1'.repeat(32) };
  const results = await Promise.all([beginPlan(store, plan, signal), beginPlan(store, second, signal)]);
  assert.deepEqual(results.map(({ kind }) => kind).sort(), ['plan', 'refused']);
});

test('requestPlan() leaves a plan alone that took the place of the one that was meant', async () => {
  const store = new MemoryStore();
  await beginPlan(store, plan, signal);
  const other = '1'.repeat(32);
  assert.deepEqual(await requestPlan(store, 'abort', signal, other), {
    ...{ kind: 'refused', reason: `etcd has another roll-out, ${plan.id}: look at it first` },
  });
  assert.equal(store.plan().phase, 'running');
  assert.equal((await requestPlan(store, 'abort', signal, plan.id)).kind, 'plan');
});

test('requestPlan() pauses and resumes, and aborts what is not valid by its removal', async () => {
  const store = new MemoryStore();
  assert.deepEqual(await requestPlan(store, 'pause', signal), {
    kind: 'refused',
    reason: 'there is no roll-out',
  });
  await beginPlan(store, plan, signal);
  await requestPlan(store, 'pause', signal);
  assert.equal(store.plan().phase, 'paused');
  await requestPlan(store, 'resume', signal);
  assert.equal(store.plan().phase, 'running');
  store.stored = { bytes: Buffer.from('{}'), revision: 9n };
  assert.equal((await requestPlan(store, 'resume', signal)).kind, 'refused');
  assert.equal((await beginPlan(store, plan, signal)).kind, 'refused');
  await requestPlan(store, 'abort', signal);
  assert.equal(store.stored, undefined);
});

test('requestPlan() looks at the nodes of a plan that is aborted again, and of no other', async () => {
  const store = new MemoryStore();
  const acting: RolloutPlan = {
    ...plan,
    nodes: plan.nodes.map((node, index) =>
      index === 0 ? { ...node, progress: { state: 'acting', spentMs: 0 } } : node,
    ),
  };
  await beginPlan(store, acting, signal);
  let looks = 0;
  const look = async () => {
    looks += 1;
    return new Map();
  };
  await requestPlan(store, 'abort', signal, plan.id, look);
  assert.deepEqual([looks, store.plan().nodes[0]?.progress.state], [0, 'acting']);
  const bytes = planToBytes({ ...store.plan(), waitsFor: 'cp1 does not answer' });
  store.stored = { bytes, revision: 9n };
  await requestPlan(store, 'abort', signal, plan.id, look);
  assert.deepEqual([looks, store.plan().nodes[0]?.progress.state], [1, 'failed']);
  assert.equal((await beginPlan(store, { ...plan, id: '1'.repeat(32) }, signal)).kind, 'plan');
});
