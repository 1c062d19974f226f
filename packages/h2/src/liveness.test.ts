import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Liveness } from './liveness.ts';

/** A connection whose timers are those of `t.mock`, and its clock as well. */
function open(t: TestContext) {
  let nowMs = 1_000_000;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(process, 'hrtime', () => [Math.floor(nowMs / 1000), (nowMs % 1000) * 1e6]);
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
  });
  const pass = (ms: number) => {
    for (let step = 0; step < ms; step += 1000) {
      nowMs += 1000;
      t.mock.timers.tick(1000);
    }
  };
  return { liveness, peer, seen, pass };
}

test('a peer that is silent during a call is asked after 20 s, and is dead 10 s later', (t) => {
  const { liveness, seen, pass } = open(t);
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

test('the time is measured from the first open call, whatever calls there were before', (t) => {
  const { liveness, seen, pass } = open(t);
  for (let call = 0; call < 7; call += 1) {
    liveness.start();
    pass(1000);
    liveness.stop();
    pass(1000);
  }
  liveness.start();
  pass(19_000);
  assert.deepEqual(seen, []);
  pass(1000);
  assert.deepEqual(seen, ['ping']);
});

test('without open calls nothing is asked, and a call after a long rest is watched again', (t) => {
  const { liveness, seen, pass } = open(t);
  liveness.start();
  pass(5000);
  liveness.stop();
  pass(600_000);
  assert.deepEqual(seen, []);
  liveness.start();
  pass(20_000);
  assert.deepEqual(seen, ['ping']);
});

test('a peer that sends something, or answers, is alive; two PINGs are five minutes apart', (t) => {
  const { liveness, peer, seen, pass } = open(t);
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

test('a call that ends, or a connection that closes, ends the wait for an answer', (t) => {
  for (const end of ['stop', 'close'] as const) {
    const { liveness, seen, pass } = open(t);
    liveness.start();
    pass(20_000);
    liveness[end]();
    pass(100_000);
    assert.deepEqual(seen, ['ping'], end);
    t.mock.reset();
  }
});
