// The short form of `make soak-weeks`, for CI.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aborted } from '@nodewright/async';
import { isFlat, measureSubject } from './measure-subject.ts';
import { type Subject, subjects } from './subjects.ts';

/** One of many waits at once counts for as many. */
const passesOf = ({ atOnce }: Subject) => (atOnce > 1 ? 300 : 1000);

for (const subject of subjects)
  test(`${subject.name}: nothing stays behind a pass`, async () => {
    const slope = await measureSubject(subject, passesOf(subject));
    assert.ok(isFlat(slope), JSON.stringify(slope));
  });

test('the measurement finds a listener that stays', async () => {
  const { signal } = new AbortController();
  const leaking: Subject = {
    ...{ name: 'leak', passesPerWeek: 1, atOnce: 1 },
    open: async () => ({ signals: [signal], pass: async () => void aborted(signal) }),
  };
  const slope = await measureSubject(leaking, passesOf(leaking));
  assert.equal(isFlat(slope), false);
  assert.ok(slope.bytesPerPass > 100, JSON.stringify(slope));
});
