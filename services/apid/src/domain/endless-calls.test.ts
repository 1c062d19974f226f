import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CallProgress, EndlessCall, endlessLimits } from './endless-calls.ts';

const quiet: CallProgress = {
  messages: 4,
  insideMessage: false,
  waitsForClient: false,
  connecting: false,
};
const most = endlessLimits.settleMs / endlessLimits.lookMs;

/** The look at which the call ends; undefined when it goes on. */
function endOf(kind: 'always' | 'while-silent', progress: readonly CallProgress[]): number | undefined {
  const call = new EndlessCall(kind);
  const index = progress.findIndex((look) => call.isOver(look));
  return index < 0 ? undefined : index + 1;
}

const repeat = (count: number, look: (index: number) => CallProgress) =>
  Array.from({ length: count }, (_, index) => look(index));

test('isOver() gives a watch the whole time for what was published before, however quiet it is', () => {
  const look = endOf(
    'always',
    repeat(2 * most, () => quiet),
  );
  assert.equal(look, most);
});

test('isOver() never ends a log while it sends, or while its client does not read', () => {
  assert.equal(
    endOf(
      'while-silent',
      repeat(100, (messages) => ({ ...quiet, messages })),
    ),
    undefined,
  );
  assert.equal(
    endOf(
      'while-silent',
      repeat(100, () => ({ ...quiet, waitsForClient: true })),
    ),
    undefined,
  );
  assert.equal(
    endOf(
      'while-silent',
      repeat(100, () => ({ ...quiet, connecting: true })),
    ),
    undefined,
  );
  // A busy disk was silent for two seconds, and then went on.
  const pauseLooks = 2000 / endlessLimits.lookMs;
  const pauses = repeat(400, (index) => ({ ...quiet, messages: Math.floor(index / pauseLooks) }));
  assert.equal(endOf('while-silent', pauses), undefined);
  assert.equal(
    endOf(
      'while-silent',
      repeat(100, () => quiet),
    ),
    endlessLimits.silentMs / endlessLimits.lookMs + 1,
  );
});

test('isOver() ends a watch at the last look, whatever it does', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          ...{ messages: fc.nat(9), insideMessage: fc.boolean() },
          ...{ waitsForClient: fc.boolean(), connecting: fc.boolean() },
        }),
        { minLength: most, maxLength: 2 * most },
      ),
      (looks) => assert.equal(endOf('always', looks), most),
    ),
    { seed: 46 },
  );
});
