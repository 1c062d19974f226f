// One connection to etcd that several callers share.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { FakeTimers } from '@nodewright/controllers/testing';
import type { EtcdClient } from '@nodewright/etcd';
import { Fault } from '@nodewright/fault';
import { rolloutLimits } from '../domain/rollout-limits.ts';
import { openKeptStore } from './kept-store.ts';

const never = new AbortController().signal;

/** Clients whose reads end when the test says so, or when they are closed. */
function open() {
  const timers = new FakeTimers(0);
  const clients: { reads: PromiseWithResolvers<undefined>[]; isClosed: boolean }[] = [];
  const store = openKeptStore(async () => {
    const client = { reads: [] as PromiseWithResolvers<undefined>[], isClosed: false };
    clients.push(client);
    return {
      async list() {
        const read = Promise.withResolvers<undefined>();
        client.reads.push(read);
        await read.promise;
        return { keyValues: [], revision: 1n, clusterId: 1n };
      },
      async [Symbol.asyncDispose]() {
        client.isClosed = true;
        for (const read of client.reads) read.reject(new Fault('cancelled', 'the client is closed'));
      },
    } as unknown as EtcdClient;
  }, timers);
  return { store, timers, clients };
}

test('a connection that is replaced after its time stays open until its last call has ended', async () => {
  const { store, timers, clients } = open();
  const [first, second] = [store.read(never), store.read(never)];
  await turnOfLoop();
  timers.step(rolloutLimits.connectionMs);
  const third = store.read(never);
  await turnOfLoop();
  assert.deepEqual(
    clients.map(({ reads, isClosed }) => [reads.length, isClosed]),
    [
      [2, false],
      [1, false],
    ],
  );
  clients[0]?.reads[0]?.resolve(undefined);
  assert.equal(await first, undefined);
  assert.equal(clients[0]?.isClosed, false);
  clients[0]?.reads[1]?.resolve(undefined);
  assert.equal(await second, undefined);
  await turnOfLoop();
  assert.deepEqual([clients[0]?.isClosed, clients[1]?.isClosed], [true, false]);
  clients[1]?.reads[0]?.resolve(undefined);
  await third;
  await store[Symbol.asyncDispose]();
  assert.equal(clients[1]?.isClosed, true);
});

test('a call that fails leaves the connection to the others, and the next call opens another one', async () => {
  const { store, clients } = open();
  const [failing, other] = [store.read(never), store.read(never)];
  await turnOfLoop();
  clients[0]?.reads[0]?.reject(new Fault('unavailable', 'no leader'));
  await assert.rejects(failing, /no leader/);
  assert.equal(clients[0]?.isClosed, false);
  const next = store.read(never);
  await turnOfLoop();
  assert.equal(clients.length, 2);
  clients[0]?.reads[1]?.resolve(undefined);
  assert.equal(await other, undefined);
  clients[1]?.reads[0]?.resolve(undefined);
  await next;
  assert.equal(clients[0]?.isClosed, true);
  await store[Symbol.asyncDispose]();
});

test('a caller that leaves closes nothing, and the end of the store closes all connections', async () => {
  const { store, timers, clients } = open();
  const leaving = new AbortController();
  const left = store.read(leaving.signal);
  await turnOfLoop();
  leaving.abort();
  clients[0]?.reads[0]?.reject(new Fault('cancelled', 'left'));
  await assert.rejects(left, /left/);
  const old = store.read(never);
  await turnOfLoop();
  assert.equal(clients.length, 1);
  timers.step(rolloutLimits.connectionMs);
  const last = store.read(never);
  await turnOfLoop();
  const ended = Promise.all([
    assert.rejects(old, /the client is closed/),
    assert.rejects(last, /the client is closed/),
  ]);
  await store[Symbol.asyncDispose]();
  await ended;
  assert.deepEqual(
    clients.map(({ isClosed }) => isClosed),
    [true, true],
  );
});
