// The turn of nodes: one suite for the real etcd and for the one in memory that other tests use.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { skipWithoutEtcd, startEtcdCluster } from '@nodewright/etcd/testing';
import { rolloutTurnName } from '@nodewright/rollout';
import { eventually } from '@nodewright/testkit';
import { MemoryTurns } from '../testing/test-plans.ts';
import { createNodeTurns, holderOf, type NodeTurns, turnTtlSeconds } from './node-turn.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const cluster = skip ? undefined : scope.use(await startEtcdCluster());
const etcd = () => (cluster ?? assert.fail('no etcd')).client();
const { signal } = new AbortController();

const memory = new MemoryTurns();
const kinds: Record<string, { skip: typeof skip; of: (host: string) => NodeTurns }> = {
  etcd: {
    skip,
    of: (host) =>
      createNodeTurns({ openEtcd: async () => etcd(), hostname: () => host, timers: systemTimers }),
  },
  memory: { skip: false, of: (host) => memory.of(host) },
};

for (const [kind, { skip, of }] of Object.entries(kinds)) {
  test(`${kind}: a turn stays while its holder restarts, and the next node waits and learns its name`, {
    skip,
  }, async () => {
    const first = await of('node01').take('plan1', () => assert.fail('it waits'), signal);
    assert.equal(first.isHeld(), true);
    await first.leave();
    const holders: string[] = [];
    let second: Awaited<ReturnType<NodeTurns['take']>> | undefined;
    const waiting = of('node02')
      .take('plan2', (holder) => void holders.push(holder), signal)
      .then((turn) => {
        second = turn;
      });
    await eventually(async () => holders.length > 0, { what: 'the holder' });
    assert.deepEqual(holders, ['node01']);
    // After the restart: another plan of the same node has nothing, and the same plan goes on.
    assert.equal(await of('node01').adopt('plan9', signal), undefined);
    const again = (await of('node01').adopt('plan1', signal)) ?? assert.fail('the turn is gone');
    assert.deepEqual([again.isHeld(), second], [true, undefined]);
    await again.give();
    await waiting;
    assert.equal(second?.isHeld(), true);
    await second?.give();
    assert.equal(await of('node02').adopt('plan2', signal), undefined);
  });

  test(`${kind}: a key that still waited when its node went down is given up, and keeps nobody waiting`, {
    skip,
  }, async () => {
    const first = await of('node01').take('plan1', () => {}, signal);
    const stop = new AbortController();
    const waiting = of('node02').take('plan2', () => stop.abort(), stop.signal);
    await assert.rejects(waiting);
    assert.equal(await of('node02').adopt('plan2', signal), undefined);
    await first.give();
    const third = await of('node03').take('plan3', () => {}, signal);
    await third.give();
  });

  test(`${kind}: another plan of a node does not wait for one of the same node that has ended, and passes nobody`, {
    skip,
  }, async () => {
    const first = await of('node01').take('plan1', () => {}, signal);
    await first.leave();
    const order: string[] = [];
    const waits: string[] = [];
    const second = of('node02')
      .take('plan2', (holder) => void waits.push(holder), signal)
      .then(async (turn) => {
        order.push('node02');
        await turn.give();
      });
    await eventually(async () => waits.length > 0, { what: 'node02 to wait' });
    const third = await of('node01').take(
      'plan3',
      (holder) => void order.push(`waits for ${holder}`),
      AbortSignal.timeout(30_000),
    );
    assert.ok(order.includes('node02') && !order.includes('waits for node01'), order.join());
    await third.give();
    await second;
  });
}

test('the adopted key has a lease of its own, so that the end of the old one takes nothing away', {
  skip,
}, async () => {
  const turns = kinds.etcd?.of('node01') ?? assert.fail();
  const before = await turns.take('plan1', () => {}, signal);
  await using client = etcd();
  const keyNow = async () => (await client.list(`${rolloutTurnName}/`)).keyValues[0];
  const old = (await keyNow())?.lease ?? assert.fail();
  await before.leave();
  const adopted = (await turns.adopt('plan1', signal)) ?? assert.fail();
  await cluster?.etcdctl('lease', 'revoke', old.toString(16));
  assert.notEqual((await keyNow())?.lease, old);
  assert.equal(adopted.isHeld(), true);
  await adopted.give();
  assert.equal(await keyNow(), undefined);
  assert.ok(turnTtlSeconds >= 900, 'longer than a trial');
});

test('the name of a holder is shown as one line of limited length, whatever the key says', () => {
  assert.equal(holderOf('node02 0123'), 'node02');
  assert.equal(holderOf(''), 'a node without a name');
  assert.equal(holderOf('node\u001b[2J\nother'), 'node');
  assert.ok(holderOf('x'.repeat(100_000)).length <= 253);
});
