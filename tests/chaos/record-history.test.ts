import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordHistory } from './record-history.ts';

/** A store in memory whose every third write ends with an error after it was done. */
function forgetfulStore(onCall: () => void) {
  const values = new Map<string, Uint8Array>();
  let writes = 0;
  return {
    values,
    async put(key: string, value: string | Uint8Array) {
      onCall();
      values.set(key, Buffer.from(value));
      writes += 1;
      if (writes % 3 === 0) throw new Error('the connection is gone');
      return 1n;
    },
    async get(key: string) {
      onCall();
      const value = values.get(key);
      return value === undefined
        ? undefined
        : { key, value, createRevision: 1n, modRevision: 1n, version: 1n, lease: 0n };
    },
  };
}

test('recordHistory() records what each client wrote and read, and writes without an answer as unknown', async () => {
  const stop = new AbortController();
  let calls = 0;
  const store = forgetfulStore(() => {
    calls += 1;
    if (calls === 300) stop.abort();
  });
  let [seed, now] = [7, 0];
  const history = await recordHistory({
    ...{ stores: [store, store, store], prefix: 'h/', signal: stop.signal, pauseMs: 0 },
    random: () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    },
    nowMs: () => (now += 1),
  });
  const writes = history.filter(({ kind }) => kind === 'write');
  assert.deepEqual(new Set(history.map(({ client }) => client)), new Set([0, 1, 2]));
  assert.equal(new Set(history.map(({ key }) => key)).size, 8);
  assert.equal(writes.filter(({ unknown }) => unknown).length, Math.floor(writes.length / 3));
  assert.equal(new Set(writes.map(({ value }) => value)).size, writes.length);
  const written = new Set(['', ...writes.map(({ value }) => value)]);
  assert.ok(history.every(({ kind, value }) => kind === 'write' || written.has(value)));
  assert.ok(history.every(({ start, end }) => start < end));
  assert.ok(history.some(({ kind, value }) => kind === 'read' && value !== ''));
});
