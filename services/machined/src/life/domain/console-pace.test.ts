import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ConsoleBlock, initialPace, paceBlock } from './console-pace.ts';

interface Shown {
  readonly atMs: number;
  readonly block: ConsoleBlock;
}

const block = (heading: string, reason: string): ConsoleBlock => ({ heading, text: `${heading} ${reason}` });

/** What is shown when the machine changes at these times, and each wait is kept. */
function shownAfter(changes: readonly Shown[], untilMs: number): Shown[] {
  const shown: Shown[] = [];
  let pace = initialPace;
  changes.forEach((change, index) => {
    const endMs = changes[index + 1]?.atMs ?? untilMs;
    let atMs = change.atMs;
    for (;;) {
      const paced = paceBlock(pace, change.block, atMs);
      pace = paced.pace;
      if (paced.waitMs === 0) shown.push({ atMs, block: change.block });
      if (!paced.waitMs) return;
      atMs += paced.waitMs;
      if (atMs >= endMs) return;
    }
  });
  return shown;
}

const loop = (count: number, everyMs: number, fromMs = 0): Shown[] =>
  Array.from({ length: count }, (_, index) => ({
    atMs: fromMs + index * everyMs,
    block: block('node', `exit code ${index}`),
  }));

test('the pause between blocks doubles from five seconds to five minutes while only reasons change', () => {
  const times = shownAfter(loop(2000, 1000), 2_000_000).map(({ atMs }) => atMs / 1000);
  assert.deepEqual(times, [0, 5, 15, 35, 75, 155, 315, 615, 915, 1215, 1515, 1815]);
});

test('the pause is five seconds again after another heading, and after five minutes without a change', () => {
  const changes = [
    ...loop(1000, 1000),
    { atMs: 1_000_500, block: block('other', 'exit code 0') },
    { atMs: 1_001_000, block: block('other', 'exit code 1') },
    { atMs: 1_400_000, block: block('other', 'exit code 2') },
    { atMs: 1_401_000, block: block('other', 'exit code 3') },
  ];
  const times = shownAfter(changes, 2_000_000).map(({ atMs }) => atMs);
  assert.deepEqual(times.slice(-5), [915_000, 1_000_500, 1_005_500, 1_400_000, 1_410_000]);
});

test('whatever changes, blocks are five seconds apart, the last one is shown, and a lasting heading after five seconds', () => {
  const changes = fc.array(
    fc.record({
      afterMs: fc.integer({ min: 1, max: 400_000 }),
      heading: fc.constantFrom('a', 'b'),
      reason: fc.constantFrom('x', 'y', 'z'),
    }),
    { minLength: 1, maxLength: 40 },
  );
  const property = fc.property(changes, (list) => {
    let atMs = 0;
    const timed = list.map(({ afterMs, heading, reason }) => {
      atMs += afterMs;
      return { atMs, block: block(heading, reason) };
    });
    const shown = shownAfter(timed, atMs + 300_000);
    shown.slice(1).forEach((one, index) => {
      assert.ok(one.atMs - (shown[index]?.atMs ?? 0) >= 5000);
      assert.notEqual(one.block.text, shown[index]?.block.text);
    });
    assert.equal(shown.at(-1)?.block.text, timed.at(-1)?.block.text);
    timed.forEach(({ atMs: sinceMs, block: { heading } }, index) => {
      if ((timed[index + 1]?.atMs ?? Number.POSITIVE_INFINITY) - sinceMs <= 5000) return;
      assert.equal(shown.findLast(({ atMs: shownMs }) => shownMs <= sinceMs + 5000)?.block.heading, heading);
    });
  });
  fc.assert(property, { seed: 46 });
});
