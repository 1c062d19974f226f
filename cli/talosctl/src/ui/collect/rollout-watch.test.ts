import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeClient } from '@nodewright/client';
import { WatchRequest, WatchResponse } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { NodeRole, type Rollout } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { Fault } from '@nodewright/fault';
import { codecsOf, MemoryState, pointerTo, registerKind, registerMeta } from '@nodewright/state';
import { upgradeSteps } from '@nodewright/state/kinds';
import { createStateService } from '@nodewright/state/wire';
import { eventually } from '@nodewright/testkit';
import type { RolloutState } from '../protocol/rollout.ts';
import { RolloutWatch } from './rollout-watch.ts';

const times = { idleMs: 10, retryMs: 5, refusedMs: 20, silenceMs: 200 };
const plan = 'c'.repeat(32);

const rolloutOf = (state: string, rest: Partial<Rollout> = {}): Rollout => ({
  ...{ id: 'a'.repeat(32), action: 'upgrade', maxUnavailable: 1, pauseAfter: 0, phase: 'running' },
  ...{ reason: '', waitsFor: '', isSettled: false, driver: 'node01', startedMs: 5000n },
  nodes: [
    {
      ...{ name: 'node02', role: NodeRole.NODE_ROLE_WORKER, attempt: 1, state, reason: '' },
      spentMs: 1n,
      plan,
    },
  ],
  ...rest,
});

type Watch = (signal: AbortSignal) => AsyncIterable<{ rollout: Rollout | undefined }>;

/** Control planes of which each answers as its function says. */
function open(...answers: readonly Watch[]) {
  const states: RolloutState[] = [];
  const asked: number[] = [];
  let nowMs = 1000;
  const watch = new RolloutWatch({
    asked: answers.map((answer, at) => {
      const call = (_: object, { signal }: { readonly signal: AbortSignal }) => {
        asked.push(at);
        return answer(signal);
      };
      return { rollouts: { watch: call } } as unknown as NodeClient;
    }),
    node: (name) => stepNode(name),
    nowMs: () => {
      nowMs += 1;
      return nowMs;
    },
    onRollout: (state) => states.push(state),
    times,
  });
  return { states, asked, watch, last: () => states.at(-1), [Symbol.dispose]: () => watch[Symbol.dispose]() };
}

const store = new MemoryState({ now: () => 0, cookie: new Uint8Array(8) });
await registerMeta(store);
await registerKind(store, upgradeSteps);
const service = createStateService({
  ...{ stateOf: () => store, codecs: codecsOf([upgradeSteps]), now: () => 0 },
}).implementation;
let followed = 0;
const stepNode = (name: string): NodeClient => {
  assert.equal(name, 'node02');
  return {
    state: {
      async *watch(request: object, { signal }: { readonly signal: AbortSignal }) {
        followed += 1;
        try {
          for await (const each of service.watch(WatchRequest.fromPartial(request), { signal } as never))
            yield WatchResponse.fromPartial(each);
        } finally {
          followed -= 1;
        }
      },
    },
  } as unknown as NodeClient;
};

const failing = (kind: Fault['kind'], message: string): Watch =>
  // biome-ignore lint/correctness/useYield: it fails before it has anything to say
  async function* () {
    throw new Fault(kind, message);
  };
const until = (what: string, isSo: () => boolean) => eventually(isSo, { what, timeoutMs: 20_000 });
const forever = (signal: AbortSignal) =>
  new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );

test('RolloutWatch follows the plan, the steps of the node that acts, and notes when it has seen the end', async () => {
  const told = [rolloutOf('acting'), rolloutOf('done', { phase: 'done', isSettled: true })];
  const { promise, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  using rig = open(async function* () {
    if (!isOver) yield { rollout: told[0] };
    await promise;
    isOver = true;
    yield { rollout: told[1] };
  });
  await store.create({
    ...pointerTo(upgradeSteps, 'turn'),
    spec: { plan, order: 1, state: 'done', reason: '' },
  });
  await store.create({
    ...pointerTo(upgradeSteps, 'drain'),
    spec: { plan, order: 2, state: 'waiting', reason: 'a pod' },
  });
  // Of an upgrade before.
  await store.create({
    ...pointerTo(upgradeSteps, 'write'),
    spec: { plan: 'd'.repeat(32), order: 3, state: 'done', reason: '' },
  });
  await until('steps', () => rig.last()?.plan?.turns[0]?.steps.length === 2);
  const { driver, startedMs, turns } = rig.last()?.plan ?? assert.fail('no plan');
  assert.deepEqual([driver, startedMs, turns[0]?.role], ['node01', 5000, 'worker']);
  assert.deepEqual(turns[0]?.steps, [
    { name: 'turn', state: 'done', reason: '' },
    { name: 'drain', state: 'waiting', reason: 'a pod' },
  ]);
  resolve();
  await until('the end', () => rig.last()?.endedMs !== undefined);
  assert.deepEqual(rig.last()?.plan?.turns[0]?.steps, []);
  await until('no stream of steps', () => followed === 0);
});

test('RolloutWatch goes on with another control plane, and knows no end that it has not seen', async () => {
  const over = rolloutOf('done', { phase: 'done', isSettled: true });
  using rig = open(failing('unavailable', 'no route'), async function* () {
    yield { rollout: over };
  });
  await until('the plan', () => rig.last()?.plan != null);
  assert.deepEqual([rig.last()?.problem, rig.last()?.endedMs], [undefined, undefined]);
  // It stays with the node that answers.
  await until('further questions', () => rig.asked.length > 4);
  assert.deepEqual([...new Set(rig.asked.slice(1))], [1]);
});

test('RolloutWatch says once why there is no answer, and keeps what was known', async () => {
  let isGone = false;
  using rig = open(async function* () {
    if (isGone) throw new Fault('unavailable', 'connect ECONNREFUSED 10.0.0.1:50000');
    yield { rollout: undefined };
  });
  await until('an answer', () => rig.last()?.plan === null);
  isGone = true;
  await until('the problem', () => rig.last()?.problem !== undefined);
  const { plan: known, problem } = rig.last() ?? assert.fail('no state');
  assert.deepEqual([known, problem?.kind], [null, 'silent']);
  const [{ length: told }, { length: before }] = [rig.states, rig.asked];
  await until('further questions', () => rig.asked.length > before + 3);
  assert.equal(rig.states.length, told);
});

for (const [kind, message, expected] of [
  ['unimplemented', 'no such service', 'unsupported'],
  ['permission-denied', 'needs os:reader', 'forbidden'],
  ['failed-precondition', 'this node is no control plane, and has no roll-outs: ask node01', 'elsewhere'],
  ['failed-precondition', 'it is not valid: "talosctl upgrade abort" removes it', 'refused'],
  ['failed-precondition', 'etcd has not started', 'silent'],
] as const)
  test(`a node that answers ${kind} (${message}) is ${expected}`, async () => {
    using rig = open(failing('unavailable', 'no route'), failing(kind, message));
    await until('the problem', () => rig.last()?.problem !== undefined);
    assert.equal(rig.last()?.problem?.kind, expected);
    assert.equal(rig.last()?.plan, undefined);
  });

test('a stream that says nothing begins anew, and texts and nodes beyond the limits are cut', async () => {
  const long = 'x'.repeat(10_000);
  const { nodes } = rolloutOf('waiting');
  const many = Array.from({ length: 600 }, () => nodes[0] ?? assert.fail());
  using rig = open(async function* (signal) {
    yield { rollout: rolloutOf('waiting', { waitsFor: long, nodes: many }) };
    await forever(signal);
  });
  await until('a second stream', () => rig.asked.length > 1);
  const { waitsFor, turns, nodeCount } = rig.last()?.plan ?? assert.fail('no plan');
  assert.deepEqual([waitsFor.length, turns.length, nodeCount], [2049, 500, 600]);
  assert.equal(rig.last()?.problem, undefined);
});
