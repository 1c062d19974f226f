import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { HandshakeTurns } from './handshake-turns.ts';

/** Two at once, then one every 5 ms. */
const limits = { burst: 2, perSecond: 200 };

/** A socket with a peer address but no connection. */
function socketFrom(remoteAddress: string): Socket {
  return Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
}

/** `begun` lists the addresses whose handshakes have begun. */
function openTurns() {
  const begun: string[] = [];
  let nowMs = 1000;
  let due: { readonly atMs: number; readonly action: () => void } | undefined;
  const turns = new HandshakeTurns({
    limits,
    begin: ({ remoteAddress = '' }) => begun.push(remoteAddress),
    now: () => nowMs,
    timers: {
      after(delayMs, action) {
        assert.equal(due, undefined, 'one timer at a time');
        due = { atMs: nowMs + delayMs, action };
        return { [Symbol.dispose]() {} };
      },
    },
  });
  const passTimer = (lateMs: number) => {
    const { atMs, action } = due ?? assert.fail('no timer is set');
    due = undefined;
    nowMs = atMs + lateMs;
    action();
  };
  return {
    turns,
    begun,
    passTimer,
    isWaiting: () => due !== undefined,
    rest: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('HandshakeTurns begins a few handshakes at once, the others one after the other', () => {
  const { turns, begun, passTimer, isWaiting } = openTurns();
  for (let count = 0; count < 5; count += 1) turns.add(socketFrom('10.0.0.1'));
  const counts = [begun.length];
  while (isWaiting()) {
    passTimer(0);
    counts.push(begun.length);
  }
  assert.deepEqual([counts, turns.size], [[2, 3, 4, 5], 0]);
});

test('HandshakeTurns makes up for no lost time while connections wait', () => {
  const { turns, begun, passTimer } = openTurns();
  for (let count = 0; count < 5; count += 1) turns.add(socketFrom('10.0.0.1'));
  passTimer(500);
  assert.equal(begun.length, 3);
});

test('HandshakeTurns begins handshakes at once again after a rest', () => {
  const { turns, begun, passTimer, rest, isWaiting } = openTurns();
  for (let count = 0; count < 3; count += 1) turns.add(socketFrom('10.0.0.1'));
  passTimer(0);
  rest(1000);
  for (let count = 0; count < 2; count += 1) turns.add(socketFrom('10.0.0.1'));
  assert.deepEqual([begun.length, isWaiting()], [5, false]);
});

test('HandshakeTurns lets addresses take turns, and an IPv6 /64 is one address', () => {
  const { turns, begun, passTimer, isWaiting } = openTurns();
  for (let count = 0; count < 2; count += 1) turns.add(socketFrom('10.0.0.1'));
  for (const host of ['1', '2', '3']) turns.add(socketFrom(`2001:db8::${host}`));
  for (let count = 0; count < 2; count += 1) turns.add(socketFrom('10.0.0.9'));
  while (isWaiting()) passTimer(0);
  assert.deepEqual(begun.slice(2), [
    ...['2001:db8::1', '10.0.0.9', '2001:db8::2', '10.0.0.9', '2001:db8::3'],
  ]);
});

test('HandshakeTurns forgets connections that close while they wait', async () => {
  const { turns, begun, passTimer, isWaiting } = openTurns();
  for (let count = 0; count < 2; count += 1) turns.add(socketFrom('10.0.0.1'));
  const [closed, left] = [socketFrom('10.0.0.2'), socketFrom('10.0.0.2')];
  turns.add(closed);
  turns.add(left);
  closed.destroy();
  await once(closed, 'close');
  assert.equal(turns.size, 1);
  left.destroy();
  await once(left, 'close');
  passTimer(0);
  assert.deepEqual([begun.length, turns.size, isWaiting()], [2, 0, false]);
});
