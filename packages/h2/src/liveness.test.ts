import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Liveness } from './liveness.ts';

/** A connection with timers of its own, and the clock that they follow. */
function open() {
  let nowMs = 1_000_000;
  const timers = new Map<() => void, number>();
  const seen: string[] = [];
  const peer = { received: 0, answers: false };
  const liveness = new Liveness({
    ...{ silenceMs: 20_000, answerMs: 10_000, restMs: 300_000 },
    received: () => peer.received,
    ping: (answered) => {
      seen.push('ping');
      if (peer.answers) answered();
    },
    onDead: () => seen.push('dead'),
    nowMs: () => nowMs,
    timers: {
      after(delayMs, action) {
        const due = () => action();
        timers.set(due, nowMs + delayMs);
        return { [Symbol.dispose]: () => void timers.delete(due) };
      },
    },
  });
  const runDue = () => {
    for (const [action, dueMs] of [...timers]) {
      if (dueMs > nowMs || !timers.delete(action)) continue;
      action();
    }
  };
  const pass = (ms: number) => {
    for (let step = 0; step < ms; step += 1000) {
      nowMs += 1000;
      runDue();
    }
  };
  /** The process stops for this long, and then finds its timers due. */
  const stop = (ms: number) => {
    nowMs += ms;
    runDue();
  };
  return { liveness, peer, seen, pass, stop };
}

test('a peer that is silent during a call is asked after 20 s, and is dead 10 s later', () => {
  const { liveness, seen, pass } = open();
  liveness.start();
  pass(19_000);
  assert.deepEqual(seen, []);
  pass(1000);
  assert.deepEqual(seen, ['ping']);
  pass(9000);
  assert.deepEqual(seen, ['ping']);
  pass(1000);
  assert.deepEqual(seen, ['ping', 'dead']);
});

test('a process that was stopped while it waited for the answer does not take its peer for dead', () => {
  const { liveness, seen, pass, stop } = open();
  liveness.start();
  pass(20_000);
  assert.deepEqual(seen, ['ping']);
  stop(60_000);
  pass(9000);
  assert.deepEqual(seen, ['ping']);
  // The answer was not among what had arrived.
  pass(1000);
  assert.deepEqual(seen, ['ping', 'dead']);
});

test('the time is measured from the last byte, whatever calls there were before', () => {
  const { liveness, peer, seen, pass } = open();
  for (let call = 0; call < 7; call += 1) {
    liveness.start();
    pass(1000);
    peer.received += 1;
    liveness.stop();
    pass(1000);
  }
  liveness.start();
  pass(19_000);
  assert.deepEqual(seen, []);
  pass(1000);
  assert.deepEqual(seen, ['ping']);
});

test('a dead peer is noticed when its calls are short: their times without a byte add up', () => {
  const { liveness, seen, pass } = open();
  // A health poll: every ten seconds a call that is given up after five.
  const poll = () => {
    liveness.start();
    pass(5000);
    liveness.stop();
    pass(5000);
  };
  for (let call = 0; call < 3; call += 1) poll();
  assert.deepEqual(seen, []);
  poll();
  assert.deepEqual(seen, ['ping']);
  poll();
  assert.deepEqual(seen, ['ping', 'dead']);
});

test('a byte that arrives between two calls begins the time anew', () => {
  const { liveness, peer, seen, pass } = open();
  liveness.start();
  pass(15_000);
  liveness.stop();
  peer.received += 1;
  liveness.start();
  pass(19_000);
  assert.deepEqual(seen, []);
  pass(1000);
  assert.deepEqual(seen, ['ping']);
});

test('without open calls nothing is asked, and a call after a long rest is watched again', () => {
  const { liveness, seen, pass } = open();
  liveness.start();
  pass(5000);
  liveness.stop();
  pass(600_000);
  assert.deepEqual(seen, []);
  liveness.start();
  pass(20_000);
  assert.deepEqual(seen, ['ping']);
});

test('a peer that sends something, or answers, is alive; two PINGs are five minutes apart', () => {
  const { liveness, peer, seen, pass } = open();
  liveness.start();
  for (let round = 0; round < 5; round += 1) {
    pass(15_000);
    peer.received += 1;
  }
  assert.deepEqual(seen, []);
  peer.answers = true;
  pass(200_000);
  assert.deepEqual(seen, ['ping']);
  pass(200_000);
  assert.deepEqual(seen, ['ping', 'ping']);
});

test('a connection that closes ends the wait for an answer, a call that ends does not', () => {
  for (const end of ['stop', 'close'] as const) {
    const { liveness, seen, pass } = open();
    liveness.start();
    pass(20_000);
    liveness[end]();
    pass(100_000);
    assert.deepEqual(seen, end === 'stop' ? ['ping', 'dead'] : ['ping'], end);
  }
});
