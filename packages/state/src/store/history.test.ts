import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updateResource } from '../change/modify-resource.ts';
import { EventReader, newNote, note, notes } from '../conformance/index.ts';
import { openMemoryState } from '../conformance/open-memory-state.ts';
import { type KindRef, pointerTo } from '../resource.ts';
import { historyLimit, historyTextLimit, leastHistory } from './event-log.ts';

const touch = (state: ReturnType<typeof openMemoryState>) =>
  updateResource(state, note('a'), ({ spec }) => ({ spec: { ...spec, count: spec.count + 1 } }));

test('the history of a kind is limited: tails, bookmarks and readers reach no further back', async () => {
  const state = openMemoryState();
  await state.create(newNote('a'));
  using begun = await state.watchKind(notes, { bootstrapBookmark: true });
  const reader = new EventReader(begun);
  await reader.words(1);
  const startFromBookmark = reader.bookmark as Uint8Array;
  for (let count = 0; count < historyLimit; count += 1) await touch(state);

  using resumed = await state.watchKind(notes, { startFromBookmark });
  assert.deepEqual(await new EventReader(resumed).words(1), ['updated a@2 was @1']);
  using tail = await state.watchKind(notes, { tailEvents: 100_000 });
  assert.deepEqual(await new EventReader(tail).words(1), ['updated a@2 was @1']);
  assert.deepEqual(await reader.words(1), ['updated a@2 was @1']);

  await touch(state);
  await assert.rejects(state.watchKind(notes, { startFromBookmark }), { kind: 'failed-precondition' });
  using late = await state.watchKind(notes, { tailEvents: 100_000 });
  assert.deepEqual(await new EventReader(late).words(1), ['updated a@3 was @2']);
  assert.deepEqual(await reader.words(1), ['updated a@3 was @2']);
  await touch(state);
  await touch(state);
  assert.deepEqual(await reader.words(1), ['errored buffer overrun']);
});

test('a waiting reader of one id loses no event because of other ids', async () => {
  const state = openMemoryState();
  await state.create(newNote('a'));
  using watch = await state.watch(note('b'));
  const words = new EventReader(watch).words(2);
  for (let count = 0; count < 2 * historyLimit; count += 1) await touch(state);
  await state.create(newNote('b'));
  assert.deepEqual(await words, ['absent', 'created b@1']);
});

test('a closed watch leaves nothing in the store and costs later writes nothing', async () => {
  const state = openMemoryState();
  await state.create(newNote('a'));
  for (const open of [() => state.watch(note('a')), () => state.watchKind(notes)]) {
    const watch = await open();
    const reader = new EventReader(watch);
    const waits = (async () => {
      while ((await reader.next()) !== undefined);
    })();
    await new Promise((resolve) => setImmediate(resolve));
    watch[Symbol.dispose]();
    await waits;
  }
  await touch(state);
  assert.equal((await state.get(note('a'))).metadata.version, 2);
});

test('the history keeps few versions of long texts, and many versions of short ones', async () => {
  const texts: KindRef<string> = { namespace: 'desk', type: 'Texts.test.nodewright.dev' };
  const versionsOf = async (length: number) => {
    const state = openMemoryState();
    const text = (count: number) => `${count}`.padEnd(length);
    await state.create({ ...texts, id: 'a', spec: text(0) });
    for (let count = 1; count <= 40; count += 1) {
      await updateResource(state, pointerTo(texts, 'a'), () => ({ spec: text(count) }));
    }
    using tail = await state.watchKind(texts, { tailEvents: 100, aggregated: true });
    for await (const events of tail) return events.length;
  };
  assert.deepEqual(
    [await versionsOf(historyTextLimit), await versionsOf(historyTextLimit / 8), await versionsOf(10)],
    [leastHistory, 8, 41],
  );
});
