// Tests that every store of node records must pass: the one in memory and the one in etcd.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeptRecords, NodeRecordStore } from '../../domain/node-record-store.ts';
import { controlPlaneRecord, nodeRecord } from '../../domain/testing/node-record.ts';
import { until } from './until.ts';

/** Opens another store over the same records at each call. */
export type OpenStore = () => Promise<NodeRecordStore>;

/** The shortest lease that etcd grants, in seconds. */
const leaseSeconds = 2;

/** Collects the lists of a store until the result is disposed. */
function watch(store: NodeRecordStore) {
  const stop = new AbortController();
  const seen: KeptRecords[] = [];
  const ended = (async () => {
    for await (const kept of store.follow(stop.signal)) seen.push(kept);
  })();
  return {
    seen,
    ids: () => [...(seen.at(-1)?.keys() ?? [])].sort(),
    kept: (nodeId: string) => seen.at(-1)?.get(nodeId),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

/**
 * @param openCluster opens empty records, which are disposed with the scope
 * @param memberOf returns the id of a member of etcd, in hexadecimal
 */
export function checkRecordStore(
  name: string,
  openCluster: (scope: AsyncDisposableStack) => Promise<OpenStore>,
  memberOf: () => Promise<string>,
  skip: string | false = false,
): void {
  const options = { timeout: 60_000, skip };

  test(
    `${name}: follow() yields the current records at once, and then every change by any client`,
    options,
    async () => {
      await using scope = new AsyncDisposableStack();
      const open = await openCluster(scope);
      const [one, other] = [scope.use(await open()), scope.use(await open())];
      const empty = scope.use(watch(one));
      await until('the empty list', () => empty.seen.length === 1);
      assert.deepEqual(empty.ids(), []);
      const leaseId = await other.write(nodeRecord(2), 60);
      await until('the first record', () => empty.ids().length === 1);
      assert.deepEqual(empty.kept('id2'), { record: nodeRecord(2), leaseId });

      const late = scope.use(watch(other));
      await until('the current records', () => late.seen.length === 1);
      assert.deepEqual(late.kept('id2'), { record: nodeRecord(2), leaseId });

      const renamed = nodeRecord(2, { hostname: 'alpha', nodename: 'alpha' });
      const nextId = await one.write(renamed, 60);
      assert.notEqual(nextId, leaseId);
      await one.write(nodeRecord(3), 60);
      await until(
        'both changes',
        () => late.kept('id2')?.record.hostname === 'alpha' && late.ids().length === 2,
      );
      assert.deepEqual(late.kept('id2'), { record: renamed, leaseId: nextId });

      await other.remove('id2');
      await other.remove('id9');
      await until('the removal', () => empty.ids().length === 1);
      assert.deepEqual(empty.ids(), ['id3']);
    },
  );

  test(
    `${name}: a record is removed when its lease expires, and stays while the lease is kept alive`,
    options,
    async () => {
      await using scope = new AsyncDisposableStack();
      const open = await openCluster(scope);
      const [one, other] = [scope.use(await open()), scope.use(await open())];
      const list = scope.use(watch(one));
      const kept = await one.write(nodeRecord(2), leaseSeconds);
      const writtenMs = performance.now();
      const left = await one.write(nodeRecord(3), leaseSeconds);
      await until('both records', () => list.ids().length === 2);
      await until('the end of the record whose lease is not kept alive', async () => {
        // Any client that has the id of a lease may keep it alive.
        assert.equal(await other.keepAlive(kept), true);
        return list.ids().length === 1;
      });
      assert.deepEqual(list.ids(), ['id2']);
      assert.ok(performance.now() - writtenMs >= leaseSeconds * 900, 'it lived for its lease');
      assert.equal(await one.keepAlive(left), false);
      assert.equal(await one.keepAlive(left + 12_345n), false);
    },
  );

  test(`${name}: a record that is written again does not expire with its first lease`, options, async () => {
    await using scope = new AsyncDisposableStack();
    const open = await openCluster(scope);
    const store = scope.use(await open());
    const list = scope.use(watch(store));
    const first = await store.write(nodeRecord(2), leaseSeconds);
    const second = await store.write(nodeRecord(2, { hostname: 'alpha' }), 60);
    await until('the end of the first lease', async () => {
      await new Promise((resolve) => setTimeout(resolve, leaseSeconds * 1200));
      return !(await store.keepAlive(first));
    });
    assert.deepEqual(list.kept('id2')?.leaseId, second);
  });

  test(
    `${name}: a control plane is kept without a lease, but only as long as etcd has its member`,
    options,
    async () => {
      await using scope = new AsyncDisposableStack();
      const open = await openCluster(scope);
      const [one, other] = [scope.use(await open()), scope.use(await open())];
      const stop = new AbortController();
      const lists = one.followControlPlanes(stop.signal)[Symbol.asyncIterator]();
      assert.deepEqual((await lists.next()).value, []);
      const memberId = await memberOf();
      const kept = { record: controlPlaneRecord(2), memberId };
      assert.equal(await other.keepControlPlane({ ...kept, memberId: '1234' }), false);
      assert.equal(await other.keepControlPlane(kept), true);
      assert.deepEqual((await lists.next()).value, [kept]);
      const live = one.follow(stop.signal)[Symbol.asyncIterator]();
      assert.equal((await live.next()).value?.size, 0);
      await other.removeControlPlane(memberId);
      await other.removeControlPlane(memberId);
      assert.deepEqual((await lists.next()).value, []);
      stop.abort();
      assert.equal((await lists.next()).done, true);
    },
  );

  test(`${name}: follow() ends when its signal aborts and when its store is disposed`, options, async () => {
    await using scope = new AsyncDisposableStack();
    const open = await openCluster(scope);
    const store = await open();
    const stop = new AbortController();
    const lists = store.follow(stop.signal)[Symbol.asyncIterator]();
    assert.equal((await lists.next()).value?.size, 0);
    const pending = lists.next();
    stop.abort();
    assert.equal((await pending).done, true);

    const others = store.follow(new AbortController().signal)[Symbol.asyncIterator]();
    await others.next();
    const last = others.next().then(
      ({ done }) => done,
      () => true,
    );
    await store[Symbol.asyncDispose]();
    assert.equal(await last, true);
  });
}
