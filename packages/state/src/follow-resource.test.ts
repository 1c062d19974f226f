import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryState, pointerTo, updateResource } from '@nodewright/state';
import { hostnameStatuses } from '@nodewright/state/kinds';
import { followResource } from './follow-resource.ts';

const pointer = pointerTo(hostnameStatuses, 'hostname');
const named = (hostname: string) => ({ hostname, domainname: '' });
const never = new AbortController().signal;

function newState(): MemoryState {
  return new MemoryState({ now: () => 0, cookie: Buffer.alloc(8) });
}

test('followResource() returns the resource from the start, and again after each change', async () => {
  const state = newState();
  await state.create({ ...pointer, spec: named('first') });
  await using followed = await followResource(state, pointer);
  assert.equal(followed.current()?.spec.hostname, 'first');

  const changed = followed.nextChange(never);
  await updateResource(state, pointer, () => ({ spec: named('second') }));
  await changed;
  assert.equal(followed.current()?.spec.hostname, 'second');
});

test('followResource() returns undefined before the creation, after the teardown and after the destruction', async () => {
  const state = newState();
  await using followed = await followResource(state, pointer);
  assert.equal(followed.current(), undefined);

  const created = followed.nextChange(never);
  await state.create({ ...pointer, spec: named('first'), finalizers: ['somebody'] });
  await created;
  assert.equal(followed.current()?.spec.hostname, 'first');

  const tornDown = followed.nextChange(never);
  await state.teardown(pointer);
  await tornDown;
  assert.equal(followed.current(), undefined);
});

test('followResource() recovers when more changes happen at once than the store keeps', async () => {
  const state = newState();
  await state.create({ ...pointer, spec: named('0') });
  await using followed = await followResource(state, pointer);
  for (let at = 1; at <= 3000; at++) {
    await updateResource(state, pointer, () => ({ spec: named(String(at)) }));
  }
  while (followed.current()?.spec.hostname !== '3000') await followed.nextChange(AbortSignal.timeout(60_000));
  assert.equal(followed.current()?.spec.hostname, '3000');
});
