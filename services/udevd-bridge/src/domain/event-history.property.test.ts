import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DeviceEvent } from './device-event.ts';
import { EventHistory, resume } from './event-history.ts';

const limits = { historyEvents: 100, historyBytes: 100_000, responseEvents: 7, responseBytes: 2000 };
const event = (subsystem: string, bytes = 10): DeviceEvent => ({
  ...{ source: 'kernel', action: 'add', path: '/devices/x', subsystem },
  properties: Buffer.alloc(bytes, 1),
});
const all = () => true;

/** Reads until nothing is left, as a consumer does. */
function drain(history: EventHistory, after: number, wants: (event: DeviceEvent) => boolean = all) {
  const seen: number[] = [];
  const gaps: string[] = [];
  for (let at = after; at < history.last; ) {
    const { events, gap, through } = history.read(at, wants);
    assert.ok(through > at, 'a batch makes progress');
    assert.ok(events.length <= limits.responseEvents);
    if (gap !== undefined) gaps.push(`${gap} before ${events[0]?.sequence}`);
    seen.push(...events.map(({ sequence }) => sequence));
    at = through;
  }
  return { seen, gaps };
}

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

test('a consumer gets every event once and in order, however its batches are cut', () => {
  const history = new EventHistory(limits);
  for (let count = 0; count < 50; count += 1) history.append(event('net', (count * 97) % 900));
  assert.deepEqual(drain(history, 0), { seen: range(1, 50), gaps: [] });
  assert.deepEqual(drain(history, 20), { seen: range(21, 50), gaps: [] });
  assert.deepEqual(history.read(50, all), { events: [], gap: undefined, through: 50 });
});

test('a consumer that is too late is told so, and goes on with the oldest event', () => {
  const history = new EventHistory(limits);
  for (let count = 0; count < 250; count += 1) history.append(event('net'));
  assert.deepEqual([history.length, history.last], [100, 250]);
  assert.deepEqual(drain(history, 10), { seen: range(151, 250), gaps: ['history-too-short before 151'] });
  assert.deepEqual(drain(history, 150), { seen: range(151, 250), gaps: [] });
});

test('events that the kernel has dropped are a gap at their place, for every consumer', () => {
  const history = new EventHistory(limits);
  history.append(event('net'));
  history.appendLoss();
  history.appendLoss();
  history.append(event('net'));
  assert.deepEqual(drain(history, 0), { seen: [1, 3], gaps: ['kernel-dropped before 3'] });
  assert.deepEqual(drain(history, 2), { seen: [3], gaps: [] });
  // Also for one that wants none of the events.
  assert.deepEqual(drain(history, 0, () => false).gaps, ['kernel-dropped before undefined']);
});

test('the history never exceeds its limits, and forgets only the oldest events', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.nat(70_000), fc.constant('loss' as const)), { maxLength: 400 }),
      (steps) => {
        const history = new EventHistory(limits);
        const kept: number[] = [];
        for (const step of steps) {
          if (step === 'loss') history.appendLoss();
          else {
            history.append(event('net', step));
            kept.push(history.last);
          }
          assert.ok(history.length <= limits.historyEvents && history.sizeBytes <= limits.historyBytes);
        }
        const { seen } = drain(history, 0);
        assert.deepEqual(seen, kept.slice(kept.length - seen.length));
      },
    ),
  );
});

test('an event that is larger than a response is sent alone', () => {
  const history = new EventHistory(limits);
  for (const bytes of [10, 5000, 10]) history.append(event('net', bytes));
  assert.deepEqual(
    range(0, 2).map((after) => history.read(after, all).events.map(({ sequence }) => sequence)),
    [[1], [2], [3]],
  );
});

test('resume() continues in the same history only', () => {
  const current = { history: 'a', sequence: 10 };
  assert.deepEqual(resume(undefined, current), { after: 10, gap: undefined });
  assert.deepEqual(resume({ history: 'a', sequence: 4 }, current), { after: 4, gap: undefined });
  assert.deepEqual(resume({ history: 'b', sequence: 4 }, current), { after: 10, gap: 'other-history' });
  assert.deepEqual(resume({ history: 'a', sequence: 11 }, current), { after: 10, gap: 'other-history' });
});
