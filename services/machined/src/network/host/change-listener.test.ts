import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeListener } from './change-listener.ts';

test('a ChangeListener calls the last listener, also when the one before it goes later', () => {
  const listener = new ChangeListener();
  const heard: string[] = [];
  listener.changed();
  const first = listener.watch(() => heard.push('first'));
  listener.changed();
  const second = listener.watch(() => heard.push('second'));
  first[Symbol.dispose]();
  listener.changed();
  second[Symbol.dispose]();
  listener.changed();
  assert.deepEqual(heard, ['first', 'second']);
});
