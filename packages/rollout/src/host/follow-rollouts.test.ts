import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import { createPlan } from '../domain/create-plan.ts';
import { planFromBytes, planToBytes } from '../domain/plan-text.ts';
import { driverPollMs } from './drive-rollout.ts';
import { followRollouts, stepBackMs } from './follow-rollouts.ts';

test('followRollouts() reports once that the plan cannot be read, and again when the reason changes', async () => {
  const end = new AbortController();
  const reasons: string[] = [];
  let reads = 0;
  await followRollouts(
    {
      store: {
        async read() {
          reads += 1;
          if (reads === 9) end.abort();
          // It answers once in between: then the same reason is news again.
          if (reads === 7) return undefined;
          throw new Fault('unavailable', reads < 4 ? 'no leader' : 'no answer');
        },
        write: async () => assert.fail('nothing is written'),
        remove: async () => assert.fail('nothing is removed'),
      },
      cluster: { look: async () => assert.fail('nobody looks') },
      actions: { start: () => assert.fail('none'), withdraw: () => assert.fail('none') },
      takeTurn: () => assert.fail('nobody takes the turn'),
      timers: { ...systemTimers, after: (_delayMs, action) => systemTimers.after(0, action) },
      report: (event) => void (event.kind === 'trouble' && reasons.push(event.reason)),
    },
    end.signal,
  );
  const text = (reason: string) => `the plan in etcd cannot be read, or not be driven: ${reason}`;
  assert.deepEqual(reasons, [text('no leader'), text('no answer'), text('no answer')]);
});

test('a driver that cannot look gives its turn back, lets the others go first, and counts no time of the nodes', async () => {
  const created = createPlan({
    ...{ id: '0'.repeat(32), action: 'upgrade', limitMs: 60_000 },
    nodes: [{ name: 'cp1', role: 'control-plane' }],
  });
  assert.ok(created.kind === 'plan');
  const acting = { state: 'acting', spentMs: 0 } as const;
  const plan = { ...created.plan, nodes: created.plan.nodes.map((node) => ({ ...node, progress: acting })) };
  let stored = { bytes: planToBytes(plan), revision: 1n };
  const end = new AbortController();
  const events: string[] = [];
  let looks = 0;
  await followRollouts(
    {
      store: {
        read: async () => stored,
        async write(bytes, { revision }) {
          stored = { bytes, revision: revision + 1n };
          return true;
        },
        remove: async () => assert.fail('nothing is removed'),
      },
      cluster: {
        async look() {
          looks += 1;
          events.push('look');
          if (looks === 7) end.abort();
          throw new Fault('unavailable', 'no answer of its own API');
        },
      },
      actions: { start: () => assert.fail('none'), withdraw: () => assert.fail('none') },
      async takeTurn() {
        events.push('turn');
        const back = async () => void events.push('back');
        return { key: 'turn/1', isHeld: () => true, [Symbol.asyncDispose]: back };
      },
      timers: {
        ...systemTimers,
        after(delayMs, action) {
          events.push(`pause ${delayMs}`);
          return systemTimers.after(0, action);
        },
      },
      report: () => {},
    },
    end.signal,
  );
  const round = [
    ...['turn', 'look', `pause ${driverPollMs}`, 'look', `pause ${driverPollMs}`, 'look', 'back'],
  ];
  const isRound = (event: string) => event !== `pause ${stepBackMs}`;
  const pauses = events.filter((event) => !isRound(event));
  assert.deepEqual(events.filter(isRound).slice(0, 2 * round.length), [...round, ...round]);
  assert.equal(pauses.length, 2);
  const left = planFromBytes(stored.bytes);
  assert.deepEqual(left.kind === 'plan' && left.plan.nodes[0]?.progress, acting);
});
