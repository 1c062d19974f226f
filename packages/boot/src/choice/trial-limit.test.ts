import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { judgeTrial, startTrialClock, type TrialProblem, trialLimitMs } from './trial-limit.ts';
import type { OutsideNeed } from './upgrade-record.ts';

const apid: TrialProblem = { text: 'apid is not healthy', cause: 'node' };
const time: TrialProblem = { text: 'time is not synced', cause: 'time servers' };
const quorum: TrialProblem = { text: 'etcd has no leader', cause: 'quorum' };

/** Observes once a minute. */
function observe(
  minutes: readonly (readonly TrialProblem[] | 'ready')[],
  missingBefore: readonly OutsideNeed[],
) {
  let clock = startTrialClock(0);
  return minutes.map((found, index) => {
    const observation = {
      ...{
        nowMs: (index + 1) * 60_000,
        isReady: found === 'ready',
        problems: found === 'ready' ? [] : found,
      },
    };
    const judged = judgeTrial(clock, observation, missingBefore);
    clock = judged.clock;
    return judged.verdict;
  });
}

const minutes = <T>(count: number, what: T) => Array.from({ length: count }, () => what);

test('a trial is confirmed when the machine is ready', () => {
  assert.deepEqual(observe([[], [apid], 'ready'], []).at(-1), { kind: 'confirm' });
});

test('a fault of the node ends the trial after ten minutes, and is named', () => {
  const verdicts = observe(minutes(10, [apid]), []);
  assert.deepEqual(
    verdicts.slice(0, 9).map(({ kind }) => kind),
    minutes(9, 'wait'),
  );
  assert.deepEqual(verdicts[9], {
    kind: 'give up',
    reason: 'it was not ready within 10 minutes: apid is not healthy',
  });
  assert.deepEqual(observe(minutes(10, []), [])[9], {
    kind: 'give up',
    reason: 'it was not ready within 10 minutes: the machine starts',
  });
});

test('what was missing before the upgrade pauses the limit, however long it takes', () => {
  const verdicts = observe([...minutes(3, []), ...minutes(5000, [quorum, time])], ['quorum', 'time servers']);
  assert.deepEqual(verdicts.at(-1), {
    ...{ kind: 'wait', isPaused: true, leftMs: trialLimitMs - 4 * 60_000 },
    reason: 'etcd has no leader, time is not synced',
  });
});

test('a fault of the node counts beside what was missing, and alone is named', () => {
  const verdicts = observe(minutes(10, [quorum, apid]), ['quorum']);
  assert.deepEqual(verdicts[9], {
    kind: 'give up',
    reason: 'it was not ready within 10 minutes: apid is not healthy',
  });
});

test('what was there before the upgrade, and is missing now, may be the fault of the new system', () => {
  assert.equal(observe(minutes(10, [time]), ['quorum']).at(-1)?.kind, 'give up');
});

test('the limit goes on where it stood when the pause ends', () => {
  const endsAfter = (last: number) =>
    observe([...minutes(5, [apid]), ...minutes(60, [quorum]), ...minutes(last, [apid])], ['quorum']).at(-1)
      ?.kind;
  // Six minutes count before the pause, and one fewer than there are observations after it.
  assert.deepEqual([endsAfter(4), endsAfter(5)], ['wait', 'give up']);
});

test('no clock, however it runs, takes time back or gives a trial up before the limit', () => {
  const problems = fc.subarray([apid, time, quorum]);
  const moment = fc.record({
    nowMs: fc.integer({ min: -1e6, max: 2e6 }),
    isReady: fc.constant(false),
    problems,
  });
  fc.assert(
    fc.property(fc.array(moment, { minLength: 1 }), (moments) => {
      let clock = startTrialClock(0);
      for (const observation of moments) {
        const judged = judgeTrial(clock, observation, ['quorum']);
        assert.ok(judged.clock.countedMs >= clock.countedMs && judged.clock.countedMs <= 2e6);
        assert.equal(judged.verdict.kind === 'give up' && judged.clock.countedMs < trialLimitMs, false);
        clock = judged.clock;
      }
    }),
  );
});
