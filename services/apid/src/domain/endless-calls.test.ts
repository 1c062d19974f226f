import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CallProgress, EndlessCall, endlessLimits } from './endless-calls.ts';

const quiet: CallProgress = { messages: 4, insideMessage: false, waitsForClient: false };
const most = endlessLimits.settleMs / endlessLimits.lookMs;

/** The look at which the call ends; undefined when it goes on. */
function endOf(kind: 'always' | 'while-silent', progress: readonly CallProgress[]): number | undefined {
  const call = new EndlessCall(kind);
  const index = progress.findIndex((look) => call.isOver(look));
  return index < 0 ? undefined : index + 1;
}

const repeat = (count: number, look: (index: number) => CallProgress) =>
  Array.from({ length: count }, (_, index) => look(index));

test('isOver() ends a watch that sends nothing more before the longest time', () => {
  const look = endOf(
    'always',
    repeat(most, () => quiet),
  );
  assert.ok(look !== undefined && look < most, `look ${look}`);
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
  // It was silent for a while, and then went on.
  const pauses = repeat(100, (index) => ({ ...quiet, messages: Math.floor(index / 5) }));
  assert.equal(endOf('while-silent', pauses), undefined);
  assert.equal(
    endOf(
      'while-silent',
      repeat(100, () => quiet),
    ),
    endlessLimits.silentMs / endlessLimits.lookMs + 1,
  );
});

test('isOver() ends a watch after some quiet looks in a row, and at the last look whatever it does', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ more: fc.nat(2), insideMessage: fc.boolean(), waitsForClient: fc.boolean() }), {
        minLength: most,
        maxLength: most,
      }),
      (steps) => {
        let messages = 0;
        const looks = steps.map(({ more, ...rest }) => {
          messages += more;
          return { ...rest, messages };
        });
        const end = endOf('always', looks);
        assert.ok(end !== undefined && end <= most);
        if (end === most) return;
        // Everything that had begun was complete, nothing came, and the client had read.
        const last = looks.slice(end - 3, end);
        for (const look of last)
          assert.deepEqual(look, {
            messages: looks[end - 1]?.messages,
            insideMessage: false,
            waitsForClient: false,
          });
      },
    ),
    { seed: 46 },
  );
});
