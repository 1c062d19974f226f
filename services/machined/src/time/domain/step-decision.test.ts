import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decideStep, noAnswers } from './step-decision.ts';

const quarterMs = 15 * 60_000;
const startMs = Date.UTC(2026, 0, 1);

/** What a server claims: how far its clock is from the right one, in ms, and the pause before it is asked. */
const claims = fc.array(
  fc.record({
    wrongMs: fc.oneof(
      fc.constantFrom(0, 100, 200, quarterMs, -quarterMs, 40 * quarterMs, -40 * quarterMs),
      fc.integer({ min: -5000, max: 5000 }).map((ms) => 1000 * quarterMs + ms),
    ),
    pauseMs: fc.constantFrom(1, 1500, 60_000, 8 * 60_000),
  }),
  { maxLength: 30 },
);

test('decideStep() moves a clock by 15 minutes or more only to a time that enough answers in a row have in common', () => {
  fc.assert(
    fc.property(claims, (given) => {
      let state = noAnswers;
      let steadyMs = 0;
      let clockMs = 0;
      const seen: { readonly wrongMs: number; readonly atMs: number }[] = [];
      for (const { wrongMs, pauseMs } of given) {
        steadyMs += pauseMs;
        const offsetMs = wrongMs - clockMs;
        seen.push({ wrongMs, atMs: steadyMs });
        const { isSet } = state;
        const decided = decideStep(state, { offsetMs, wallMs: startMs + steadyMs + clockMs, steadyMs });
        state = decided.state;
        if (Math.abs(offsetMs) < quarterMs) {
          assert.equal(decided.verdict, !isSet && Math.abs(offsetMs) >= 128 ? 'step' : 'keep');
        } else if (decided.verdict === 'step') {
          const row = seen.slice(isSet ? -3 : -2);
          assert.equal(row.length, isSet ? 3 : 2);
          for (const { wrongMs: other } of row) assert.ok(Math.abs(other - wrongMs) <= 2 * 5000);
          if (isSet) assert.ok(seen.some(({ atMs }) => steadyMs - atMs >= quarterMs));
        } else assert.equal(decided.verdict, 'ask');
        if (decided.verdict === 'step') clockMs = wrongMs;
        assert.equal(state.isSet, isSet || decided.verdict !== 'ask');
      }
    }),
  );
});
