import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import { MemoryState } from '../store/memory-state.ts';
import { addFinalizers, removeFinalizers } from './finalizers.ts';
import { teardownAndDestroy } from './teardown-and-destroy.ts';

const pointer = { namespace: 'desk', type: 'Notes.test.nodewright.dev', id: 'a' };

async function openState() {
  const state = new MemoryState({ now: () => 0, cookie: new Uint8Array(8) });
  await state.create({ ...pointer, spec: { text: 'old' } });
  return { state, count: async () => (await state.list(pointer)).length };
}

test('teardownAndDestroy() waits until nothing holds the resource', async () => {
  const { state, count } = await openState();
  await addFinalizers(state, pointer, 'reader');
  const destroyed = teardownAndDestroy(state, pointer);
  await turn();
  assert.equal(await count(), 1);
  await removeFinalizers(state, pointer, 'reader');
  await destroyed;
  assert.equal(await count(), 0);
});

test('teardownAndDestroy() is content when another one has destroyed the resource, and fails for any other reason', async () => {
  for (const [kind, expected] of [
    ['not-found', 'done'],
    ['failed-precondition', 'failed-precondition'],
  ] as const) {
    const { state } = await openState();
    const refusing = Object.create(state, {
      teardown: { value: () => state.teardown(pointer) },
      destroy: { value: () => Promise.reject(new Fault(kind, 'refused')) },
    });
    const outcome = await teardownAndDestroy(refusing, pointer).then(
      () => 'done',
      (fault: Fault) => fault.kind,
    );
    assert.equal(outcome, expected);
  }
});
