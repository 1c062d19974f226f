// What a watch keeps in memory. Configurations have up to 8 MiB, and the watches of daemons last for years.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Resource as ResourceMessage } from '@nodewright/contract/gen/cosi/resource/resource.ts';
import { WatchRequest, type WatchResponse } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { newNote, note, notes, openMemoryState } from '../conformance/index.ts';
import { codecsOf } from '../meta/register.ts';
import type { Resource } from '../resource.ts';
import { historyLimit } from '../store/event-log.ts';
import { MessageCache, mostMessages } from './message-cache.ts';
import { createStateService } from './state-service.ts';

const kib = 1024;

const resource = (id: number): Resource => ({ metadata: { id: String(id) } as never, spec: {} });

/** A cache whose messages have this size, and how many encodings it has made. */
function openCache(textBytes: number) {
  const encoded: string[] = [];
  const cache = new MessageCache(({ metadata }): ResourceMessage => {
    encoded.push(metadata.id);
    return { metadata: undefined, spec: { yamlSpec: 'x'.repeat(textBytes), protoSpec: Buffer.alloc(0) } };
  });
  return { cache, encoded };
}

test('MessageCache keeps the messages of small resources, so that watches share an encoding', () => {
  const { cache, encoded } = openCache(100);
  using _ = cache.open();
  const resources = Array.from({ length: mostMessages }, (_, id) => resource(id));
  for (const each of [...resources, ...resources]) cache.of(each);
  assert.equal(encoded.length, mostMessages);
  const { bytes } = cache;
  for (let id = 0; id < 1_000; id += 1) cache.of(resource(id));
  assert.equal(cache.bytes, bytes, 'it does not grow');
});

test('MessageCache keeps no more bytes than its limit, but always those of one update', () => {
  for (const [textBytes, kept] of [
    [1024 * kib, 3],
    [8 * 1024 * kib, 2],
  ] as const) {
    const { cache, encoded } = openCache(textBytes);
    using _ = cache.open();
    const resources = Array.from({ length: 80 }, (_, id) => resource(id));
    for (const each of resources) cache.of(each);
    assert.ok(cache.bytes <= Math.max(4 * 1024 * kib, 2 * (textBytes + kib)));
    const before = encoded.length;
    for (const each of resources.slice(-kept)) cache.of(each);
    assert.equal(encoded.length, before, 'the last ones are kept');
  }
});

test('MessageCache keeps nothing after the last watch has ended', () => {
  const { cache, encoded } = openCache(100);
  const [first, second] = [cache.open(), cache.open()];
  cache.of(resource(1));
  first[Symbol.dispose]();
  assert.notEqual(cache.bytes, 0);
  second[Symbol.dispose]();
  second[Symbol.dispose]();
  assert.equal(cache.bytes, 0);
  cache.of(resource(2));
  assert.deepEqual([cache.bytes, encoded], [0, ['1', '2']], 'a message without a watch is not kept');
});

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // Weak references that were read are kept until the end of the turn.
  for (let round = 0; round < 4; round += 1) {
    await nextTurn();
    collect();
  }
}

/** Reads so many events. It is a function of its own: the registers of a caller that waits keep what it has read. */
async function readEvents<T extends object>(
  reader: AsyncIterator<T, unknown>,
  count: number,
  countOf: (read: T) => number,
): Promise<WeakRef<T>[]> {
  const all: WeakRef<T>[] = [];
  for (let events = 0; events < count; ) {
    const { value } = (await reader.next()) as IteratorYieldResult<T>;
    events += countOf(value);
    all.push(new WeakRef(value));
  }
  return all;
}

const alive = (refs: readonly WeakRef<object>[]) =>
  refs.map((ref) => ref.deref()).filter((value) => value !== undefined);

test('a watch does not keep the messages of its first list while it waits', async () => {
  for (const aggregated of [true, false]) {
    const state = openMemoryState();
    for (const id of ['a', 'b']) await state.create(newNote(id));
    const { implementation } = createStateService({
      stateOf: () => state,
      codecs: codecsOf([notes]),
      now: () => 0,
    });
    const { namespace, type } = notes;
    const options = { bootstrapContents: true, aggregated };
    const request = WatchRequest.fromPartial({ namespace, type, apiVersion: 1, options });
    const stop = new AbortController();
    const watch = implementation.watch(request, { signal: stop.signal } as never);
    const reader = watch[Symbol.asyncIterator]() as AsyncIterator<WatchResponse>;
    const messages = await readEvents(reader, 3, ({ event }) => event.length);
    const waiting = reader.next();
    await collectGarbage();
    assert.deepEqual(alive(messages), []);
    stop.abort();
    await waiting;
  }
});

test('a watch does not keep the resources of its first list', async () => {
  for (const aggregated of [true, false]) {
    const state = openMemoryState();
    const listed = new WeakRef(await state.create(newNote('a')));
    await state.create(newNote('b'));
    using watch = await state.watchKind(notes, { bootstrapContents: true, aggregated });
    const reader = watch[Symbol.asyncIterator]();
    await readEvents(reader, 3, ({ length }) => length);
    // After the next two events, nothing but the first list can have the resource: also the history has only others.
    await state.destroy(note('a'));
    await readEvents(reader, 1, ({ length }) => length);
    let last = await state.get(note('b'));
    const second = readEvents(reader, 1, ({ length }) => length);
    for (let count = 0; count <= historyLimit; count += 1) last = await state.update(last);
    await second;
    await collectGarbage();
    assert.deepEqual(alive([listed]), []);
  }
});
