import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers, type Timers } from '@nodewright/async';
import type { EtcdClient, LockOptions } from '@nodewright/etcd';
import type { TurnFacts } from '../domain/decide-turn.ts';
import { actInTurn } from './act-in-turn.ts';
import { takeTurn } from './turn.ts';

interface Case {
  readonly facts?: TurnFacts;
  readonly hasLock?: boolean;
  /** The lock is lost while the others are looked at. */
  readonly losesLock?: boolean;
  readonly isNeeded?: boolean;
  /** How many checks fail after the act. */
  readonly failures?: number;
  /** After how many checks something is to be done again. */
  readonly neededAgainAfter?: number;
  /** For how many checks something else delays the part. */
  readonly delayedFor?: number;
  readonly actFails?: boolean;
}

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

async function outcomeOf(given: Case) {
  const { facts = { isWell: true, obstacle: undefined }, hasLock = true, failures = 0 } = given;
  const done: string[] = [];
  const lost = new AbortController();
  const etcd = {
    lock: async (name: string, { value, ttlSeconds }: LockOptions = {}) => {
      done.push(`lock ${name} by ${value} for ${ttlSeconds}`);
      return {
        ...{ key: `${name}/1`, lease: undefined as never, signal: lost.signal },
        [Symbol.asyncDispose]: async () => void done.push('unlock'),
      };
    },
  } satisfies Pick<EtcdClient, 'lock'>;
  const { signal } = new AbortController();
  let checks = 0;
  let hasActed = false;
  const outcome = await actInTurn({
    takeTurn: async (scope) =>
      hasLock
        ? scope.use(await takeTurn(etcd, { name: 'turn', holder: 'node01', ttlSeconds: 30, signal }))
        : undefined,
    isNeeded: async () =>
      hasActed ? checks >= (given.neededAgainAfter ?? Infinity) : (given.isNeeded ?? true),
    async look(turn) {
      done.push(`look ${turn?.key}`);
      if (given.losesLock) lost.abort();
      return facts;
    },
    async act(wasWell) {
      done.push(wasWell ? 'act' : 'act on what is down');
      if (given.actFails) throw new Error('no');
      hasActed = true;
    },
    async check() {
      checks += 1;
      return checks > failures ? { isWell: true } : { isWell: false, reason: 'refused' };
    },
    isDelayed: async () => checks < (given.delayedFor ?? 0),
    times: { pollMs: 1000, limitMs: 10_000, delayedLimitMs: 60_000 },
    ...{ timers: quickTimers(), signal },
  }).catch((error: Error) => error.message);
  return [done.join(', '), outcome];
}

const locked = 'lock turn by node01 for 30, look turn/1';

test('actInTurn() takes the turn, looks, acts, waits and gives the turn back', async () => {
  assert.deepEqual(await outcomeOf({ failures: 3 }), [`${locked}, act, unlock`, { kind: 'well' }]);
});

test('actInTurn() does nothing when it is not needed any more, or when something speaks against it', async () => {
  assert.deepEqual(await outcomeOf({ isNeeded: false }), [
    'lock turn by node01 for 30, unlock',
    { kind: 'not-needed' },
  ]);
  assert.deepEqual(await outcomeOf({ facts: { isWell: true, obstacle: 'node02 is down' } }), [
    `${locked}, unlock`,
    { kind: 'postponed', reason: 'node02 is down' },
  ]);
});

test('actInTurn() does not act on what works without the lock, nor when it was lost meanwhile', async () => {
  const outcome = { kind: 'postponed', reason: 'the lock in etcd is not held any more' };
  assert.deepEqual(await outcomeOf({ hasLock: false }), ['look undefined', outcome]);
  assert.deepEqual(await outcomeOf({ losesLock: true }), [`${locked}, unlock`, outcome]);
});

test('actInTurn() acts on what is down without the lock', async () => {
  assert.deepEqual(await outcomeOf({ hasLock: false, facts: { isWell: false } }), [
    ...['look undefined, act on what is down', { kind: 'well' }],
  ]);
});

test('actInTurn() gives the turn back when the part is not well in time, is needed again, or the act fails', async () => {
  const acted = `${locked}, act, unlock`;
  const reason = 'refused';
  assert.deepEqual(await outcomeOf({ failures: 1000 }), [
    ...[acted, { kind: 'not-well', reason, afterMs: 10_000 }],
  ]);
  assert.deepEqual(await outcomeOf({ failures: 1000, neededAgainAfter: 4 }), [
    ...[acted, { kind: 'needed-again' }],
  ]);
  assert.deepEqual(await outcomeOf({ actFails: true }), [acted, 'no']);
});

test('actInTurn() waits longer for a part that something else delays, and not for ever', async () => {
  const acted = `${locked}, act, unlock`;
  assert.deepEqual(await outcomeOf({ failures: 25, delayedFor: 20 }), [acted, { kind: 'well' }]);
  assert.deepEqual(await outcomeOf({ failures: 1000, delayedFor: 1000 }), [
    ...[acted, { kind: 'not-well', reason: 'refused', afterMs: 60_000 }],
  ]);
});
