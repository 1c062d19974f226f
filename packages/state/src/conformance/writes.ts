import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { addFinalizers, removeFinalizers } from '../change/finalizers.ts';
import { putResource, updateResource } from '../change/modify-resource.ts';
import { teardownAndDestroy } from '../change/teardown-and-destroy.ts';
import type { Resource } from '../resource.ts';
import { newNote, note, notes } from './notes.ts';
import type { OpenState } from './open-state.ts';

/** The fault of a call that must fail, such as `not-found: resource ...`. */
export async function failureOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Fault, `no Fault but ${error}`);
  return `${error.kind}: ${error.message}`;
}

const withoutTimes = ({ metadata: { createdMs, updatedMs, ...metadata }, spec }: Resource) => ({
  metadata,
  spec,
  isUpdated: updatedMs > createdMs,
});

const text = (id: string, version: string | number) => `Notes.test.nodewright.dev(desk/${id}@${version})`;

/**
 * Tests the rules for creating, changing and destroying resources, and the faults of writes that break the
 * rules.
 */
export function testWrites(label: string, open: OpenState): void {
  test(`${label}: a created resource has version 1, its owner and its times, and reads back the same`, async () => {
    await using opened = await open();
    const { state } = opened;
    const created = await state.create(
      newNote('a', { finalizers: ['x', 'y', 'x'], labels: { colour: 'red' }, annotations: { why: 'not' } }),
      { owner: 'writer' },
    );
    assert.deepEqual(withoutTimes(created), {
      metadata: {
        ...{ namespace: 'desk', type: notes.type, id: 'a', version: 1, owner: 'writer', phase: 'running' },
        ...{ finalizers: ['x', 'y'], labels: { colour: 'red' }, annotations: { why: 'not' } },
      },
      spec: { text: 'a', count: 0 },
      isUpdated: false,
    });
    assert.deepEqual(await state.get(note('a')), created);
    assert.equal(
      await failureOf(state.create(newNote('a'))),
      `already-exists: resource ${text('a', 1)} already exists`,
    );
  });

  test(`${label}: every update increments the version and keeps owner and creation time, even without a change`, async () => {
    await using opened = await open();
    const { state } = opened;
    const created = await state.create(newNote('a'), { owner: 'writer' });
    const changed = {
      metadata: {
        ...created.metadata,
        owner: 'thief',
        createdMs: 1,
        labels: { new: 'yes' },
        finalizers: ['f'],
      },
      spec: { text: 'other', count: -7 },
    };
    const updated = await state.update(changed, { owner: 'writer' });
    assert.deepEqual(updated, {
      metadata: {
        ...created.metadata,
        ...{ version: 2, labels: { new: 'yes' }, finalizers: ['f'], updatedMs: updated.metadata.updatedMs },
      },
      spec: { text: 'other', count: -7 },
    });
    assert.ok(updated.metadata.updatedMs > created.metadata.updatedMs);
    assert.equal((await state.update(updated, { owner: 'writer' })).metadata.version, 3);
  });

  test(`${label}: every operation on a missing resource fails with not-found`, async () => {
    await using opened = await open();
    const { state, store } = opened;
    const gone = await store.create(newNote('a'));
    await store.destroy(note('a'));
    const notFound = `not-found: resource ${text('a', 'undefined')} doesn't exist`;
    for (const call of [
      () => state.get(note('a')),
      () => state.update(gone),
      () => state.teardown(note('a')),
      () => state.destroy(note('a')),
      () => updateResource(state, note('a'), () => ({})),
      () => addFinalizers(state, note('a'), 'f'),
    ])
      assert.equal(await failureOf(call()), notFound);
    assert.deepEqual(await state.list(notes), []);
  });

  test(`${label}: an update checks the owner first, then the version, then the phase`, async () => {
    await using opened = await open();
    const { state } = opened;
    const created = await state.create(newNote('a'), { owner: 'writer' });
    const stale = { ...created, metadata: { ...created.metadata, version: 7 } };
    assert.equal(
      await failureOf(state.update(stale, { owner: 'other', expectedPhase: 'tearingDown' })),
      `permission-denied: resource ${text('a', 1)} is owned by "writer", not by "other"`,
    );
    assert.equal(
      await failureOf(state.update(stale, { owner: 'writer', expectedPhase: 'tearingDown' })),
      `failed-precondition: resource ${text('a', 1)} update conflict: expected version "7", actual version "1"`,
    );
    assert.equal(
      await failureOf(state.update(created, { owner: 'writer', expectedPhase: 'tearingDown' })),
      `invalid-argument: resource ${text('a', 1)} is not in phase "tearingDown" but in phase "running"`,
    );
    await state.teardown(note('a'), { owner: 'writer' });
    const torn = await state.get(note('a'));
    assert.match(
      await failureOf(state.update(torn, { owner: 'writer' })),
      /^invalid-argument: .*"tearingDown"$/,
    );
    assert.equal(
      (await state.update(torn, { owner: 'writer', expectedPhase: 'any' })).metadata.phase,
      'tearingDown',
    );
  });

  test(`${label}: teardown is final and idempotent, and reports whether finalizers remain`, async () => {
    await using opened = await open();
    const { state } = opened;
    await state.create(newNote('a', { finalizers: ['f'] }), { owner: 'writer' });
    assert.match(await failureOf(state.teardown(note('a'))), /^permission-denied: /);
    assert.equal(await state.teardown(note('a'), { owner: 'writer' }), false);
    assert.equal(await state.teardown(note('a'), { owner: 'anybody' }), false);
    const torn = await state.get(note('a'));
    assert.deepEqual([torn.metadata.phase, torn.metadata.version], ['tearingDown', 2]);
    const revived = { ...torn, metadata: { ...torn.metadata, phase: 'running' as const } };
    assert.match(
      await failureOf(state.update(revived, { owner: 'writer', expectedPhase: 'any' })),
      /^failed-precondition: /,
    );
    assert.equal(
      await failureOf(state.destroy(note('a'), { owner: 'writer' })),
      `failed-precondition: resource ${text('a', 2)} has pending finalizers [f]`,
    );
    await removeFinalizers(state, note('a'), 'f');
    assert.equal(await state.teardown(note('a')), true);
    assert.match(await failureOf(state.destroy(note('a'))), /^permission-denied: /);
    await state.destroy(note('a'), { owner: 'writer' });
  });

  test(`${label}: finalizers are a set that any caller may change in any phase`, async () => {
    await using opened = await open();
    const { state } = opened;
    await state.create(newNote('a'), { owner: 'writer' });
    await Promise.all(['f', 'g', 'h'].map((finalizer) => addFinalizers(state, note('a'), finalizer)));
    const held = await addFinalizers(state, note('a'), 'g', 'f');
    assert.deepEqual([held.metadata.finalizers.toSorted(), held.metadata.version], [['f', 'g', 'h'], 4]);
    await state.teardown(note('a'), { owner: 'writer' });
    const left = await removeFinalizers(state, note('a'), 'h', 'f', 'nothing');
    assert.deepEqual([left.metadata.finalizers, left.metadata.version], [['g'], 6]);
  });

  test(`${label}: updateResource() retries after conflicts and does not write an empty change`, async () => {
    await using opened = await open();
    const { state } = opened;
    await state.create(newNote('a'));
    const add = () =>
      updateResource(state, note('a'), ({ spec }) => ({ spec: { ...spec, count: spec.count + 1 } }));
    await Promise.all(Array.from({ length: 8 }, add));
    const same = await updateResource(state, note('a'), ({ spec }) => ({ spec: { ...spec } }));
    assert.deepEqual([same.spec.count, same.metadata.version], [8, 9]);
  });

  test(`${label}: putResource() creates, updates, or writes nothing`, async () => {
    await using opened = await open();
    const { state } = opened;
    const versions: number[] = [];
    for (const spec of [1, 1, 2].map((count) => ({ text: 'a', count }))) {
      const { metadata } = await putResource(state, newNote('a', { spec, labels: { l: '1' } }), {
        owner: 'w',
      });
      versions.push(metadata.version);
    }
    assert.deepEqual(versions, [1, 1, 2]);
    assert.match(await failureOf(putResource(state, newNote('a'), { owner: 'v' })), /^permission-denied: /);
  });

  test(`${label}: teardownAndDestroy() waits until the resource has no finalizers`, async () => {
    await using opened = await open();
    const { state, store } = opened;
    await store.create(newNote('a', { finalizers: ['f'] }));
    let isGone = false;
    const gone = teardownAndDestroy(state, note('a')).then(() => {
      isGone = true;
    });
    for (let phase = ''; phase !== 'tearingDown'; ) phase = (await state.get(note('a'))).metadata.phase;
    assert.equal(isGone, false);
    await removeFinalizers(store, note('a'), 'f');
    await gone;
    assert.match(await failureOf(state.get(note('a'))), /^not-found: /);
  });
}
