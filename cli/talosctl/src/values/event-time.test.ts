import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventTime, eventTimeText } from './event-time.ts';

test('eventTime() returns the seconds of an xid', () => {
  // Source: xid: the README of the library.
  assert.equal(eventTime('9m4e2mr0ui3e8a215n4g')?.getTime(), 1_300_816_219_000);
  assert.equal(eventTimeText('9m4e2mr0ui3e8a215n4g'), '2011-03-22T17:50:19Z');
});

test('eventTime() returns undefined for an id that is not an xid', () => {
  for (const id of ['', 'hello', '9M4E2MR0UI3E8A215N4G', '9m4e2mr0ui3e8a215n4gg', '9m4e2mr0ui3e8a215n4!']) {
    assert.equal(eventTime(id), undefined);
  }
});
