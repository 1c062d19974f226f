// The short form of `make soak-weeks`, for CI.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aborted } from '@nodewright/async';
import { isFlat, measureSubject } from './measure-subject.ts';
import { type Subject, subjects } from './subjects.ts';

/** One of many waits at once counts for as many. */
const passesOf = ({ atOnce }: Subject) => (atOnce > 1 ? 300 : 1000);

/** What the engine compiles meanwhile stays, too, however many passes there are. So more of them tell it from what each pass leaves. */
async function slopeOf(subject: Subject) {
  const slope = await measureSubject(subject, passesOf(subject));
  return isFlat(slope) ? slope : measureSubject(subject, 4 * passesOf(subject));
}

for (const subject of subjects)
  test(`${subject.name}: nothing stays behind a pass`, async () => {
    const slope = await slopeOf(subject);
    assert.ok(isFlat(slope), JSON.stringify(slope));
  });

test('the measurement finds a listener that stays', async () => {
  const { signal } = new AbortController();
  const leaking: Subject = {
    ...{ name: 'leak', passesPerWeek: 1, atOnce: 1 },
    open: async () => ({ signals: [signal], pass: async () => void aborted(signal) }),
  };
  const slope = await slopeOf(leaking);
  assert.equal(isFlat(slope), false);
  assert.ok(slope.bytesPerPass > 100, JSON.stringify(slope));
});
