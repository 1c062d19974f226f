import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { BackendPool, type BackendPoolInit } from './backend-pool.ts';
import type { InboundCall } from './call.ts';
import { answerHead, openRecordedCall, openSocketPair } from './conformance/index.ts';
import { gatewayLimits, type ServerConnection } from './engine.ts';
import { nodeEngine } from './node-engine/node-engine.ts';

const refusedDial = { message: 'connect ECONNREFUSED 127.0.0.9:50000' };

/** A backend that serves every call on each of its connections. */
class Backend {
  readonly connections: ServerConnection[] = [];
  dials = 0;
  /** When set, the next dials reject with this text. */
  refusal: string | undefined;

  onCall = (call: InboundCall) => call.respond([...answerHead, 'grpc-status', '0'], true);

  readonly target = { key: 'node02', backoff: true, dial: (signal: AbortSignal) => this.#dial(signal) };

  async #dial(_signal: AbortSignal): Promise<Socket> {
    this.dials += 1;
    if (this.refusal !== undefined) throw new Error(this.refusal);
    const { near, far } = await openSocketPair();
    this.connections.push(
      nodeEngine.accept(far, gatewayLimits, {
        onCall: (call) => this.onCall(call),
        onError() {},
      }),
    );
    return near;
  }
}

function openPool(changes: Partial<BackendPoolInit> = {}) {
  return new BackendPool({
    engine: nodeEngine,
    limits: gatewayLimits,
    connectTimeoutMs: 5000,
    idleTimeoutMs: 60_000,
    detachTimeoutMs: 60_000,
    now: () => performance.now(),
    random: () => 0.5,
    ...changes,
  });
}

/** Waits for what the pool does by itself. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await isSo()); looks += 1) {
    assert.ok(looks < 2000, 'it did not come');
    await delay(5);
  }
}

test('BackendPool shares one connection between calls during and after the dial', async () => {
  using pool = openPool();
  const backend = new Backend();
  const [first, second] = await Promise.all([pool.acquire(backend.target), pool.acquire(backend.target)]);
  assert.equal(first, second);
  assert.equal(pool.acquire(backend.target), first);
  assert.equal(backend.dials, 1);
});

test('BackendPool fails calls at once during a back-off, then retries and recovers', async () => {
  let now = 0;
  using pool = openPool({ now: () => now });
  const backend = new Backend();
  backend.refusal = 'connect ECONNREFUSED 127.0.0.9:50000';
  const refused = { kind: 'unavailable', message: 'connect ECONNREFUSED 127.0.0.9:50000' };
  await assert.rejects(async () => pool.acquire(backend.target), refused);
  await assert.rejects(async () => pool.acquire(backend.target), {
    kind: 'unavailable',
    message: 'connect ECONNREFUSED 127.0.0.9:50000, next attempt in 1s',
  });
  assert.equal(backend.dials, 1);
  now = 1001;
  await assert.rejects(async () => pool.acquire(backend.target), refused);
  backend.refusal = undefined;
  now = 1001 + 1601;
  assert.equal((await pool.acquire(backend.target)).usable, true);
  assert.equal(backend.dials, 3);
});

const probes = { firstPauseMs: 5, longestPauseMs: 5, dials: { burst: 1000, perSecond: 0 } };

test('BackendPool forgets the back-off of a probed target as soon as it is back, and of no other target', async () => {
  // The clock stands still: without a probe the back-off would never end.
  using pool = openPool({ now: () => 0, probes });
  const backend = new Backend();
  const probed = { ...backend.target, probeGroup: '10.5.0.3' };
  const other = { ...backend.target, key: 'not a member' };
  backend.refusal = 'connect ECONNREFUSED 127.0.0.9:50000';
  for (const target of [probed, other]) await assert.rejects(async () => pool.acquire(target), refusedDial);
  await until(() => backend.dials >= 5);
  await assert.rejects(async () => pool.acquire(probed), { message: /, next attempt in 1s$/ });
  backend.refusal = undefined;
  const isOpen = async () => {
    const connection = await Promise.resolve(pool.acquire(probed)).catch(() => undefined);
    return connection?.usable === true;
  };
  await until(isOpen);
  assert.equal(backend.connections.length, 1);
  await assert.rejects(async () => pool.acquire(other), { message: /, next attempt in 1s$/ });
});

test('BackendPool probes no longer than the back-off lasts', async () => {
  let now = 0;
  using pool = openPool({ now: () => now, probes });
  const backend = new Backend();
  backend.refusal = 'connect ECONNREFUSED 127.0.0.9:50000';
  await assert.rejects(async () => pool.acquire({ ...backend.target, probeGroup: '10.5.0.3' }), refusedDial);
  await until(() => backend.dials >= 3);
  now = 1001;
  await delay(20);
  const { dials } = backend;
  await delay(50);
  assert.equal(backend.dials, dials);
});

test('BackendPool dials a backend under one of its names at a time', async () => {
  using pool = openPool({ now: () => 0, probes });
  const backend = new Backend();
  backend.refusal = 'connect ECONNREFUSED 127.0.0.9:50000';
  let dials = 0;
  const { promise: never } = Promise.withResolvers<Socket>();
  const named = (key: string) => ({
    ...{ key, backoff: true, probeGroup: '10.5.0.3' },
    dial: (signal: AbortSignal) => {
      dials += 1;
      return dials <= 3 ? backend.target.dial(signal) : never;
    },
  });
  const names = ['node02', 'node02.cluster.test', '10.5.0.3'].map(named);
  await Promise.all(names.map((name) => assert.rejects(async () => pool.acquire(name), refusedDial)));
  await until(() => dials >= 4);
  await delay(50);
  assert.equal(dials, 4);
});

test('BackendPool ends the back-off of all names of a backend when it is back under one of them', async () => {
  using pool = openPool({ now: () => 0, probes });
  const backend = new Backend();
  backend.refusal = 'connect ECONNREFUSED 127.0.0.9:50000';
  const named = (key: string) => ({ ...backend.target, key, probeGroup: '10.5.0.3' });
  const names = ['node02', 'node02.cluster.test', '10.5.0.3'].map(named);
  for (const name of names) await assert.rejects(async () => pool.acquire(name), refusedDial);
  await until(() => backend.dials >= 8);
  backend.refusal = undefined;
  await until(() => backend.connections.length > 0);
  // The clock stands still: only the probe can have ended the three back-offs.
  for (const name of names)
    await until(async () =>
      Promise.resolve(pool.acquire(name)).then(
        ({ usable }) => usable,
        () => false,
      ),
    );
  assert.equal(backend.connections.length, 3);
});

test('BackendPool dials no more dead backends in all than its limit allows', async () => {
  using pool = openPool({ now: () => 0, probes: { ...probes, dials: { burst: 7, perSecond: 0 } } });
  const backend = new Backend();
  backend.refusal = 'connect ECONNREFUSED 127.0.0.9:50000';
  const keys = Array.from({ length: 256 }, (_, index) => `node${index}`);
  for (const key of keys)
    await assert.rejects(async () => pool.acquire({ ...backend.target, key, probeGroup: key }), refusedDial);
  await until(() => backend.dials >= 256 + 7);
  await delay(50);
  assert.equal(backend.dials, 256 + 7);
});

test('BackendPool retries at once for a target without back-off', async () => {
  using pool = openPool();
  const backend = new Backend();
  const target = { ...backend.target, backoff: false };
  backend.refusal = 'connect ENOENT';
  await assert.rejects(async () => pool.acquire(target), { message: 'connect ENOENT' });
  backend.refusal = undefined;
  assert.equal((await pool.acquire(target)).usable, true);
});

test('BackendPool opens a new connection after a connection is lost or the backend sent GOAWAY', async () => {
  using pool = openPool();
  const backend = new Backend();
  const first = await pool.acquire(backend.target);
  backend.connections[0]?.destroy();
  await first.closed;
  const second = await pool.acquire(backend.target);
  backend.connections[1]?.drain();
  await second.closed;
  const third = await pool.acquire(backend.target);
  const { call, recorder } = openRecordedCall(third);
  call.end();
  assert.equal((await recorder.done).last, true);
  assert.equal(backend.dials, 3);
});

test('BackendPool times out on a backend that accepts and sends nothing', async () => {
  using pool = openPool({ connectTimeoutMs: 40 });
  const silent = { key: 'silent', backoff: true, dial: async () => (await openSocketPair()).near };
  await assert.rejects(async () => pool.acquire(silent), {
    kind: 'unavailable',
    message: 'connect timed out after 0.04s',
  });
});

test('BackendPool times out on a dial that never ends', async () => {
  using pool = openPool({ connectTimeoutMs: 40 });
  const stuck = {
    key: 'stuck',
    backoff: true,
    dial: (signal: AbortSignal) =>
      new Promise<Socket>((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('aborted'))),
      ),
  };
  await assert.rejects(async () => pool.acquire(stuck), { message: 'connect timed out after 0.04s' });
});

test('BackendPool detaches connections: open calls finish, new calls dial', async () => {
  using pool = openPool();
  const backend = new Backend();
  const first = await pool.acquire(backend.target);
  const { call, recorder } = openRecordedCall(first);
  pool.detach(() => true, 0);
  assert.equal(first.usable, false);
  const second = await pool.acquire(backend.target);
  assert.notEqual(first, second);
  call.end();
  assert.equal((await recorder.done).last, true);
  await first.closed;
});

test('BackendPool lets waiting calls use a connection that was detached while it opened', async () => {
  using pool = openPool();
  const backend = new Backend();
  const waiting = pool.acquire(backend.target);
  pool.detach(() => true, 0);
  const connection = await waiting;
  const { call, recorder } = openRecordedCall(connection);
  call.end();
  assert.equal((await recorder.done).last, true);
  await connection.closed;
});

test('BackendPool detaches only the targets that it is given', async () => {
  using pool = openPool();
  const backend = new Backend();
  const other = { ...backend.target, key: 'node03' };
  const [first, second] = await Promise.all([pool.acquire(backend.target), pool.acquire(other)]);
  pool.detach((key) => key === 'node03', 0);
  assert.equal(pool.acquire(backend.target), first);
  await second.closed;
  assert.notEqual(await pool.acquire(other), second);
});

test('BackendPool keeps a detached connection with a call until its certificate has ended', async () => {
  using pool = openPool({ detachTimeoutMs: 20 });
  const backend = new Backend();
  const answer = backend.onCall;
  const calls: InboundCall[] = [];
  backend.onCall = (call) => void calls.push(call);
  const other = { ...backend.target, key: 'node03' };
  const [valid, ended] = await Promise.all([pool.acquire(backend.target), pool.acquire(other)]);
  const [kept, cut] = [openRecordedCall(valid).recorder, openRecordedCall(ended).recorder];
  const isOther = (key: string) => key === 'node03';
  pool.detach((key) => !isOther(key), Date.now() + 3_600_000);
  pool.detach(isOther, Date.now() - 1);
  // It was detached later, so the time of the other one is over as well.
  assert.notEqual((await cut.done).failure, undefined);
  for (const call of calls) answer(call);
  assert.equal((await kept.done).last, true);
  await valid.closed;
});

test('BackendPool closes an idle connection', async () => {
  using pool = openPool({ idleTimeoutMs: 50 });
  const backend = new Backend();
  const connection = await pool.acquire(backend.target);
  await connection.closed;
  assert.notEqual(await pool.acquire(backend.target), connection);
});

test('BackendPool fails calls that wait for a connection when it is disposed', async () => {
  const pool = openPool();
  const silent = { key: 'silent', backoff: true, dial: async () => (await openSocketPair()).near };
  const waiting = Promise.resolve(pool.acquire(silent));
  await delay(10);
  pool[Symbol.dispose]();
  await assert.rejects(waiting, { message: 'shutting down' });
});

test('BackendPool opens a connection per lane, with one back-off per target', async () => {
  let now = 0;
  using pool = openPool({ now: () => now });
  const backend = new Backend();
  const [first, second] = await Promise.all([
    pool.acquire(backend.target, 0),
    pool.acquire(backend.target, 1),
  ]);
  assert.notEqual(first, second);
  assert.equal(pool.acquire(backend.target, 1), second);
  for (const connection of backend.connections) connection.destroy();
  await Promise.all([first.closed, second.closed]);
  backend.refusal = 'connect ECONNREFUSED';
  await assert.rejects(async () => pool.acquire(backend.target, 2), { message: 'connect ECONNREFUSED' });
  await assert.rejects(async () => pool.acquire(backend.target, 3), { message: /next attempt in 1s$/ });
  now = 5000;
  backend.refusal = undefined;
  await pool.acquire(backend.target, 2);
  assert.equal(backend.dials, 4);
});

test('BackendPool counts lanes whose dials fail together as one failure', async () => {
  let now = 0;
  using pool = openPool({ now: () => now });
  const backend = new Backend();
  backend.refusal = 'connect ECONNREFUSED';
  const dialAll = () =>
    Promise.allSettled(Array.from({ length: 8 }, async (_, lane) => pool.acquire(backend.target, lane)));
  const next = async () => {
    const error: unknown = await Promise.resolve(pool.acquire(backend.target)).catch((reason) => reason);
    return error instanceof Error ? error.message : 'a connection';
  };
  await dialAll();
  assert.equal(await next(), 'connect ECONNREFUSED, next attempt in 1s');
  // Dials that begin after the failure count again, as one.
  now = 1001;
  await dialAll();
  assert.equal(await next(), 'connect ECONNREFUSED, next attempt in 2s');
  assert.equal(backend.dials, 16);
});

test('BackendPool does not back off while a connection to the target works', async () => {
  using pool = openPool({ now: () => 0 });
  const backend = new Backend();
  const first = await pool.acquire(backend.target, 0);
  backend.refusal = 'read ECONNRESET';
  await assert.rejects(async () => pool.acquire(backend.target, 1), { message: 'read ECONNRESET' });
  backend.refusal = undefined;
  assert.equal((await pool.acquire(backend.target, 1)).usable, true);
  assert.equal(first.usable, true);
});

test('BackendPool does not back off for a dial that fails after a later one has succeeded', async () => {
  using pool = openPool({ now: () => 0 });
  const backend = new Backend();
  const held = Promise.withResolvers<Socket>();
  const slow = { ...backend.target, dial: () => held.promise };
  const waiting = Promise.resolve(pool.acquire(slow, 0));
  waiting.catch(() => {});
  const second = await pool.acquire(backend.target, 1);
  backend.connections[0]?.destroy();
  await second.closed;
  held.reject(new Error('connect ETIMEDOUT'));
  await assert.rejects(waiting, { message: 'connect ETIMEDOUT' });
  assert.equal((await pool.acquire(backend.target, 0)).usable, true);
});
