import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type FailedCall, planAfterFailure } from './plan-after-failure.ts';

const read: FailedCall = {
  failure: 'lost',
  mutates: false,
  repeatable: true,
  losses: 1,
  attempts: 1,
  unaware: 0,
  endpoints: 3,
};

test('planAfterFailure() sends a read once more to another endpoint after a lost connection', () => {
  assert.deepEqual([read, { ...read, losses: 2 }, { ...read, endpoints: 1 }].map(planAfterFailure), [
    'again',
    'fail',
    'fail',
  ]);
});

test('planAfterFailure() retries a call that was not sent, even a write, at most once per endpoint', () => {
  const unsent: FailedCall = { ...read, failure: 'not-sent', mutates: true, losses: 0 };
  assert.deepEqual(
    [1, 2, 3, 4].map((attempts) => planAfterFailure({ ...unsent, attempts })),
    ['again', 'again', 'again', 'fail'],
  );
});

test('planAfterFailure() tries each endpoint once when endpoints do not know the node', () => {
  const unknown: FailedCall = { ...read, failure: 'unknown-node', losses: 0 };
  assert.deepEqual(
    [1, 2, 3].map((unaware) => planAfterFailure({ ...unknown, unaware, attempts: unaware })),
    ['again', 'again', 'fail'],
  );
});

test('planAfterFailure() never repeats a write that may have arrived, a call that was answered, or a request stream', () => {
  const anyCall = fc.record({
    failure: fc.constantFrom('answered', 'unknown-node', 'lost', 'cut', 'not-sent') as fc.Arbitrary<
      FailedCall['failure']
    >,
    mutates: fc.boolean(),
    repeatable: fc.boolean(),
    losses: fc.integer({ min: 0, max: 3 }),
    attempts: fc.integer({ min: 1, max: 5 }),
    unaware: fc.integer({ min: 0, max: 4 }),
    endpoints: fc.integer({ min: 1, max: 4 }),
  });
  fc.assert(
    fc.property(anyCall, (call) => {
      const { failure, mutates, repeatable } = call;
      const mustFail =
        !repeatable ||
        failure === 'answered' ||
        failure === 'cut' ||
        (mutates && (failure === 'lost' || failure === 'unknown-node'));
      if (mustFail) assert.equal(planAfterFailure(call), 'fail');
    }),
  );
});
