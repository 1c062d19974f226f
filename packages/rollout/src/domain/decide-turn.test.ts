import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideTurn } from './decide-turn.ts';

test('decideTurn() acts on what does not work in any case', () => {
  for (const holdsTurn of [true, false])
    assert.deepEqual(decideTurn(holdsTurn, { isWell: false }), { kind: 'act' });
});

test('decideTurn() acts on what works only with the turn, and while nothing speaks against it', () => {
  assert.deepEqual(decideTurn(true, { isWell: true, obstacle: undefined }), { kind: 'act' });
  assert.deepEqual(decideTurn(true, { isWell: true, obstacle: 'others are down' }), {
    ...{ kind: 'wait', reason: 'others are down' },
  });
  assert.deepEqual(decideTurn(false, { isWell: true, obstacle: undefined }), {
    ...{ kind: 'wait', reason: 'the lock in etcd is not held any more' },
  });
});
