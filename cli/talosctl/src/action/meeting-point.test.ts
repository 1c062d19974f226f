import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MeetingPoint } from './meeting-point.ts';

test('arrive() resolves when every participant has arrived or left', async () => {
  const meeting = new MeetingPoint(3);
  const [first, second, third] = [meeting.place(), meeting.place(), meeting.place()];
  const gone: string[] = [];
  const waiting = [
    first.arrive().then(() => gone.push('first')),
    second.arrive().then(() => gone.push('second')),
  ];
  // A participant that arrives and leaves counts once.
  first.leave();
  await new Promise(setImmediate);
  assert.deepEqual(gone, []);
  third.leave();
  await Promise.all(waiting);
  assert.deepEqual(gone, ['first', 'second']);
});
