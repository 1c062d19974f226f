import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { BackendPool, type BackendPoolInit } from './backend-pool.ts';
import { answerHead, openRecordedCall, openSocketPair } from './conformance/index.ts';
import { gatewayLimits, type ServerConnection } from './engine.ts';
import { nodeEngine } from './node-engine/node-engine.ts';

/** A backend that answers every call, as often as it is dialled. */
class Backend {
  readonly connections: ServerConnection[] = [];
  dials = 0;
  /** What the next dials reject with. */
  refusal: string | undefined;

  readonly target = { key: 'node02', backoff: true, dial: (signal: AbortSignal) => this.#dial(signal) };

  async #dial(_signal: AbortSignal): Promise<Socket> {
    this.dials += 1;
    if (this.refusal !== undefined) throw new Error(this.refusal);
    const { near, far } = await openSocketPair();
    this.connections.push(
      nodeEngine.accept(far, gatewayLimits, {
        onCall: (call) => call.respond([...answerHead, 'grpc-status', '0'], true),
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

test('BackendPool shares one connection between calls that come while it is being made and later', async () => {
  using pool = openPool();
  const backend = new Backend();
  const [first, second] = await Promise.all([pool.acquire(backend.target), pool.acquire(backend.target)]);
  assert.equal(first, second);
  assert.equal(pool.acquire(backend.target), first);
  assert.equal(backend.dials, 1);
});

test('BackendPool fails fast while it backs off, then tries again and recovers', async () => {
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

test('BackendPool tries at once again where a target wants no backoff', async () => {
  using pool = openPool();
  const backend = new Backend();
  const target = { ...backend.target, backoff: false };
  backend.refusal = 'connect ENOENT';
  await assert.rejects(async () => pool.acquire(target));
  backend.refusal = undefined;
  assert.equal((await pool.acquire(target)).usable, true);
});

test('BackendPool dials anew after a connection is lost, and after the backend said GOAWAY', async () => {
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

test('BackendPool gives up on a backend that accepts and says nothing', async () => {
  using pool = openPool({ connectTimeoutMs: 40 });
  const silent = { key: 'silent', backoff: true, dial: async () => (await openSocketPair()).near };
  await assert.rejects(async () => pool.acquire(silent), {
    kind: 'unavailable',
    message: 'connect timed out after 0.04s',
  });
});

test('BackendPool gives up on a dial that never ends', async () => {
  using pool = openPool({ connectTimeoutMs: 40 });
  const stuck = {
    key: 'stuck',
    backoff: true,
    dial: (signal: AbortSignal) =>
      new Promise<Socket>((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('given up'))),
      ),
  };
  await assert.rejects(async () => pool.acquire(stuck), { message: 'connect timed out after 0.04s' });
});

test('BackendPool detaches: calls under way finish, new ones dial', async () => {
  using pool = openPool();
  const backend = new Backend();
  const first = await pool.acquire(backend.target);
  const { call, recorder } = openRecordedCall(first);
  pool.detachAll();
  assert.equal(first.usable, false);
  const second = await pool.acquire(backend.target);
  assert.notEqual(first, second);
  call.end();
  assert.equal((await recorder.done).last, true);
  await first.closed;
});

test('BackendPool lets those that waited for a connection use it when it is detached meanwhile', async () => {
  using pool = openPool();
  const backend = new Backend();
  const waiting = pool.acquire(backend.target);
  pool.detachAll();
  const connection = await waiting;
  const { call, recorder } = openRecordedCall(connection);
  call.end();
  assert.equal((await recorder.done).last, true);
  await connection.closed;
});

test('BackendPool closes a connection that nobody uses', async () => {
  using pool = openPool({ idleTimeoutMs: 50 });
  const backend = new Backend();
  const connection = await pool.acquire(backend.target);
  await connection.closed;
  assert.notEqual(await pool.acquire(backend.target), connection);
});

test('BackendPool fails calls that wait for a connection when it is closed', async () => {
  const pool = openPool();
  const silent = { key: 'silent', backoff: true, dial: async () => (await openSocketPair()).near };
  const waiting = Promise.resolve(pool.acquire(silent));
  await delay(10);
  pool[Symbol.dispose]();
  await assert.rejects(waiting, { message: 'shutting down' });
});

test('BackendPool makes a connection per lane, and one back-off per target', async () => {
  let now = 0;
  using pool = openPool({ now: () => now });
  const backend = new Backend();
  const [first, second] = await Promise.all([
    pool.acquire(backend.target, 0),
    pool.acquire(backend.target, 1),
  ]);
  assert.notEqual(first, second);
  assert.equal(pool.acquire(backend.target, 1), second);
  backend.refusal = 'connect ECONNREFUSED';
  await assert.rejects(async () => pool.acquire(backend.target, 2));
  await assert.rejects(async () => pool.acquire(backend.target, 3), { message: /next attempt in 1s$/ });
  now = 5000;
  backend.refusal = undefined;
  await pool.acquire(backend.target, 2);
  assert.equal(backend.dials, 4);
});
