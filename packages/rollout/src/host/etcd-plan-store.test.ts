// The plan and the turn in a real etcd.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { skipWithoutEtcd, startEtcdCluster } from '@nodewright/etcd/testing';
import {
  createEtcdPlanStore,
  rolloutDriverName,
  rolloutPlanKey,
  rolloutTurnName,
} from './etcd-plan-store.ts';
import { takeTurn } from './turn.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const cluster = skip ? undefined : scope.use(await startEtcdCluster());

test('a plan in etcd is written only over the revision that was read, and only while the turn is held', {
  skip,
}, async () => {
  const etcd = (cluster ?? assert.fail('no etcd')).client();
  const store = createEtcdPlanStore(etcd);
  const { signal } = new AbortController();
  assert.equal(await store.read(signal), undefined);
  const turn = await takeTurn(etcd, { name: rolloutTurnName, holder: 'node01', signal });
  assert.equal(Buffer.from((await etcd.get(turn.key))?.value ?? '').toString(), 'node01');
  assert.equal(await store.write(Buffer.from('one'), { revision: 0n }, signal), true);
  assert.equal(await store.write(Buffer.from('two'), { revision: 0n, turn }, signal), false);
  const begun = (await store.read(signal)) ?? assert.fail('no plan');
  assert.equal(Buffer.from(begun.bytes).toString(), 'one');
  assert.equal(await store.write(Buffer.from('step'), { revision: begun.revision, turn }, signal), true);
  const first = (await store.read(signal)) ?? assert.fail('no plan');
  assert.equal(Buffer.from(first.bytes).toString(), 'step');
  await turn[Symbol.asyncDispose]();
  assert.equal(turn.isHeld(), false);
  assert.equal(await store.write(Buffer.from('late'), { revision: first.revision, turn }, signal), false);
  assert.equal(await store.write(Buffer.from('paused'), { revision: first.revision }, signal), true);
  assert.equal(await store.remove(first.revision, signal), false);
  const last = (await store.read(signal)) ?? assert.fail('no plan');
  assert.equal(Buffer.from(last.bytes).toString(), 'paused');
  assert.equal(await store.remove(last.revision, signal), true);
  assert.equal(await store.read(signal), undefined);
});

test('a plan that a snapshot of another etcd has brought is removed when it is read, and another one takes its place', {
  skip,
}, async () => {
  const former = (cluster ?? assert.fail('no etcd')).client();
  const { signal } = new AbortController();
  assert.equal(await createEtcdPlanStore(former).write(Buffer.from('old'), { revision: 0n }, signal), true);
  await using restored = await startEtcdCluster();
  const etcd = restored.client();
  const { keyValues } = await former.list('nodewright/rollout/');
  for (const { key, value } of keyValues) await etcd.put(key, value);
  // Two look at the same moment.
  const store = createEtcdPlanStore(etcd);
  assert.deepEqual(await Promise.all([store.read(signal), store.read(signal)]), [undefined, undefined]);
  assert.equal(await etcd.get(rolloutPlanKey), undefined);
  assert.equal(await store.write(Buffer.from('new'), { revision: 0n }, signal), true);
  const turn = await takeTurn(etcd, { name: rolloutTurnName, signal });
  const revision = (await store.read(signal))?.revision ?? 0n;
  assert.equal(await store.write(Buffer.from('newer'), { revision, turn }, signal), true);
  assert.equal(Buffer.from((await store.read(signal))?.bytes ?? '').toString(), 'newer');
  assert.equal(Buffer.from((await createEtcdPlanStore(former).read(signal))?.bytes ?? '').toString(), 'old');
});

test('a plan in etcd that does not name its cluster is removed when it is read', {
  skip,
}, async () => {
  const etcd = (cluster ?? assert.fail('no etcd')).client();
  const { signal } = new AbortController();
  const store = createEtcdPlanStore(etcd);
  await etcd.deletePrefix(rolloutPlanKey);
  await etcd.put(rolloutPlanKey, 'foreign');
  assert.equal(await store.read(signal), undefined);
  assert.equal(await etcd.get(rolloutPlanKey), undefined);
  await etcd.put(rolloutPlanKey, 'foreign');
  await etcd.put(`${rolloutPlanKey}-cluster`, '');
  assert.equal(await store.read(signal), undefined);
  assert.deepEqual((await etcd.list(rolloutPlanKey)).keyValues, []);
});

test('a plan in etcd tells who drives it and what was said of its begin, and neither outlives it', {
  skip,
}, async () => {
  const etcd = (cluster ?? assert.fail('no etcd')).client();
  const other = (cluster ?? assert.fail('no etcd')).client();
  const { signal } = new AbortController();
  const store = createEtcdPlanStore(etcd);
  await etcd.deletePrefix('nodewright/rollout/');
  const said = async () => {
    const { driver, begun } = (await store.read(signal)) ?? assert.fail('no plan');
    return [driver, begun];
  };
  await store.write(Buffer.from('one'), { revision: 0n, begun: 'at noon' }, signal);
  assert.deepEqual(await said(), [undefined, 'at noon']);
  const first = await takeTurn(etcd, { name: rolloutDriverName, holder: 'node01', signal });
  // The one that waits for the lock does not drive.
  const waiting = takeTurn(other, { name: rolloutDriverName, holder: 'node02', signal });
  assert.deepEqual(await said(), ['node01', 'at noon']);
  const { revision } = (await store.read(signal)) ?? assert.fail('no plan');
  assert.equal(await store.write(Buffer.from('step'), { revision, turn: first }, signal), true);
  await first[Symbol.asyncDispose]();
  await using second = await waiting;
  assert.equal(second.isHeld(), true);
  assert.deepEqual(await said(), ['node02', 'at noon']);
  await etcd.put(`${rolloutPlanKey}-begun`, 'x'.repeat(1000));
  assert.deepEqual(await said(), ['node02', undefined]);
  const last = (await store.read(signal)) ?? assert.fail('no plan');
  assert.equal(await store.remove(last.revision, signal), true);
  assert.deepEqual((await etcd.list(rolloutPlanKey)).keyValues, []);
});
