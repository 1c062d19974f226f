import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updateResource } from '../change/modify-resource.ts';
import type { LabelTerm } from '../query/label-query.ts';
import type { State } from '../state.ts';
import { EventReader, newNote, note, notes } from './notes.ts';
import type { OpenState } from './open-state.ts';
import { failureOf } from './writes.ts';

/** Writes one more change to a note. */
async function touch(state: State, id: string, labels?: Record<string, string>): Promise<void> {
  await updateResource(state, note(id), ({ spec }) => ({
    spec: { ...spec, count: spec.count + 1 },
    ...(labels && { metadata: { labels } }),
  }));
}

/** Tests how watches start, continue and end. */
export function testWatches(label: string, open: OpenState): void {
  test(`${label}: a watch of one id starts with the current resource and sends no events of others`, async () => {
    await using opened = await open();
    const { state, store } = opened;
    await store.create(newNote('a'));
    using watchA = await state.watch(note('a'));
    using watchB = await state.watch(note('b'));
    const [a, b] = [new EventReader(watchA), new EventReader(watchB)];
    assert.deepEqual(await Promise.all([a.words(1), b.words(1)]), [['created a@1'], ['absent']]);
    await store.create(newNote('b'));
    await touch(store, 'a');
    await store.destroy(note('b'));
    await store.teardown(note('a'));
    await store.destroy(note('a'));
    assert.deepEqual(await a.words(3), ['updated a@2 was @1', 'updated a@3 was @2', 'destroyed a@3']);
    assert.deepEqual(await b.words(2), ['created b@1', 'destroyed b@1']);
  });

  test(`${label}: a plain watch of a kind sends only later events, with their content`, async () => {
    await using opened = await open();
    const { state, store } = opened;
    await store.create(newNote('a'));
    using watch = await state.watchKind(notes);
    const reader = new EventReader(watch);
    const created = await store.create(newNote('b'));
    await touch(store, 'a');
    await store.destroy(note('b'));
    const first = await reader.next();
    assert.deepEqual(first?.kind === 'created' && first.resource, created);
    assert.deepEqual(await reader.words(1), ['updated a@2 was @1']);
    const last = await reader.next();
    assert.deepEqual(last?.kind === 'destroyed' && last.resource, created);
  });

  test(`${label}: a watch with contents sends them in order, then later events, at any reading pace`, async () => {
    for (const aggregated of [false, true]) {
      await using opened = await open();
      const { state, store } = opened;
      for (const id of ['c', 'a', 'b']) await store.create(newNote(id));
      using watch = await state.watchKind(notes, { bootstrapContents: true, aggregated });
      const reader = new EventReader(watch);
      await touch(store, 'b');
      assert.deepEqual(await reader.words(2), ['created a@1', 'created b@1']);
      await store.create(newNote('d'));
      assert.deepEqual(await reader.words(4), [
        'created c@1',
        'bootstrapped',
        'updated b@2 was @1',
        'created d@1',
      ]);
    }
  });

  test(`${label}: an aggregated watch sends its contents as one batch, another watch event by event`, async () => {
    await using opened = await open();
    const { state, store } = opened;
    for (const id of ['a', 'b']) await store.create(newNote(id));
    const firstBatch = async (aggregated: boolean) => {
      using watch = await state.watchKind(notes, { bootstrapContents: true, aggregated });
      for await (const events of watch) return events.length;
    };
    assert.deepEqual([await firstBatch(false), await firstBatch(true)], [1, 3]);
  });

  test(`${label}: a query reports resources that begin to match as created, that cease to match as destroyed`, async () => {
    await using opened = await open();
    const { state, store } = opened;
    await store.create(newNote('a', { labels: { on: 'yes' } }));
    await store.create(newNote('b'));
    const on: LabelTerm = { key: 'on', operation: 'equal', value: 'yes' };
    using watch = await state.watchKind(notes, { labelQueries: [[on]], bootstrapContents: true });
    const reader = new EventReader(watch);
    await touch(store, 'b');
    await touch(store, 'b', { on: 'yes' });
    await touch(store, 'b');
    await touch(store, 'b', { on: 'no' });
    await store.destroy(note('b'));
    await store.destroy(note('a'));
    assert.deepEqual(await reader.words(6), [
      ...['created a@1', 'bootstrapped', 'created b@3', 'updated b@4 was @3', 'destroyed b@4'],
      'destroyed a@1',
    ]);
    using ids = await state.watchKind(notes, { idQuery: { regexp: '^x' } });
    await store.create(newNote('c'));
    await store.create(newNote('x'));
    assert.deepEqual(await new EventReader(ids).words(1), ['created x@1']);
  });

  test(`${label}: a watch resumes after a bookmark, and rejects a foreign bookmark`, async () => {
    await using opened = await open();
    const { state, store } = opened;
    await store.create(newNote('a'));
    using begun = await state.watchKind(notes, { bootstrapBookmark: true });
    const reader = new EventReader(begun);
    assert.deepEqual(await reader.words(1), ['noop']);
    const start = reader.bookmark as Uint8Array;
    await touch(store, 'a');
    await store.create(newNote('b'));
    assert.deepEqual(await reader.words(1), ['updated a@2 was @1']);
    const resume = async (startFromBookmark: Uint8Array, count: number) => {
      using watch = await state.watchKind(notes, { startFromBookmark });
      return await new EventReader(watch).words(count);
    };
    assert.deepEqual(await resume(start, 2), ['updated a@2 was @1', 'created b@1']);
    assert.deepEqual(await resume(reader.bookmark as Uint8Array, 1), ['created b@1']);
    using ofB = await state.watch(note('b'), { startFromBookmark: start });
    assert.deepEqual(await new EventReader(ofB).words(1), ['created b@1']);
    const future = Buffer.from(start);
    future[15] = 200;
    for (const foreign of [new Uint8Array(16), new Uint8Array(3), future]) {
      assert.match(await failureOf(resume(foreign, 1)), /^failed-precondition: .*bookmark/);
    }
    for (const also of [{ bootstrapContents: true }, { bootstrapBookmark: true }, { tailEvents: 1 }]) {
      assert.match(
        await failureOf(state.watchKind(notes, { startFromBookmark: start, ...also })),
        /^unknown: /,
      );
    }
  });

  test(`${label}: tail events are the last events, of one id when one id is watched`, async () => {
    await using opened = await open();
    const { state, store } = opened;
    await store.create(newNote('a'));
    await store.create(newNote('b'));
    await touch(store, 'a');
    await touch(store, 'b');
    using all = await state.watchKind(notes, { tailEvents: 3 });
    assert.deepEqual(await new EventReader(all).words(3), [
      ...['created b@1', 'updated a@2 was @1', 'updated b@2 was @1'],
    ]);
    using one = await state.watch(note('a'), { tailEvents: 100 });
    assert.deepEqual(await new EventReader(one).words(2), ['created a@1', 'updated a@2 was @1']);
    const both = { tailEvents: 1, bootstrapContents: true };
    assert.match(await failureOf(state.watchKind(notes, both)), /^unknown: /);
  });

  test(`${label}: a slow reader gets one error event, and does not delay the writer or other readers`, async () => {
    await using opened = await open();
    const { state, store } = opened;
    await store.create(newNote('a'));
    using slow = await state.watchKind(notes, { bootstrapContents: true });
    using other = await state.watch(note('b'));
    const reader = new EventReader(slow);
    const wordsOfOther = new EventReader(other).words(2);
    // Large enough that no buffer of a connection in between can hold all events.
    const spec = { text: 'x'.repeat(4096), count: 0 };
    for (let count = 0; count < 4000; count += 1) {
      await updateResource(store, note('a'), () => ({ spec: { ...spec, count } }));
      // Gives connections time to read and write.
      if (count % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await store.create(newNote('b'));
    let event = await reader.next();
    for (let version = 1; event?.kind !== 'errored'; event = await reader.next()) {
      if (event === undefined || !('resource' in event)) continue;
      assert.equal(event.resource.metadata.version, version++);
    }
    assert.match(event.message, /^buffer overrun: namespace "desk"/);
    const silent = Symbol('silent');
    const next = await Promise.race([
      reader.next(),
      new Promise((resolve) => setTimeout(resolve, 30, silent)),
    ]);
    assert.equal(next, silent);
    assert.deepEqual(await wordsOfOther, ['absent', 'created b@1']);
  });

  test(`${label}: a watch ends when its signal aborts, when it is disposed, and when the signal aborted before it began`, async () => {
    await using opened = await open();
    const { state } = opened;
    const stop = new AbortController();
    using signalled = await state.watchKind(notes, { signal: stop.signal });
    const ends = new EventReader(signalled).words(1);
    stop.abort();
    assert.deepEqual(await ends, ['end']);
    using disposed = await state.watchKind(notes);
    const alsoEnds = new EventReader(disposed).words(1);
    disposed[Symbol.dispose]();
    assert.deepEqual(await alsoEnds, ['end']);
    using late = await state.watchKind(notes, { signal: stop.signal });
    assert.deepEqual(await new EventReader(late).words(1), ['end']);
  });
}
