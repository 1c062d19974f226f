import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  EventType,
  type WatchRequest,
  type WatchResponse,
} from '@nodewright/contract/gen/cosi/resource/state.ts';
import { EventReader, newNote, notes } from '../conformance/index.ts';
import { openMemoryState } from '../conformance/open-memory-state.ts';
import { codecsOf } from '../meta/register.ts';
import { createStateClient } from './state-client.ts';
import { createStateService } from './state-service.ts';

const codecs = codecsOf([notes]);

/** A client of a store in this process whose streams break after a given number of messages each. */
function breakingClient(store: ReturnType<typeof openMemoryState>, messagesPerStream: number) {
  const { implementation } = createStateService({ stateOf: () => store, codecs, now: () => 1 });
  const requests: WatchRequest[] = [];
  const delays: number[] = [];
  async function* watch(
    request: WatchRequest,
    { signal }: { signal: AbortSignal },
  ): AsyncGenerator<WatchResponse> {
    requests.push(request);
    let count = 0;
    const stream = implementation.watch(request, { signal } as never);
    for await (const response of stream) {
      yield response as WatchResponse;
      count += 1;
      if (count > messagesPerStream) throw Object.assign(new Error('gone'), { code: 14, details: 'gone' });
    }
  }
  const retry = {
    delayMs: (attempt: number) => attempt * 10,
    sleep: async (ms: number) => void delays.push(ms),
  };
  const client = createStateClient({ client: { watch } as never, codecs, retry });
  return { client, requests, delays };
}

test('a watch resumes from its last bookmark after its stream breaks', async () => {
  const store = openMemoryState();
  const { client, requests, delays } = breakingClient(store, 2);
  using watch = await client.watchKind(notes, { bootstrapBookmark: true });
  const reader = new EventReader(watch);
  for (const id of ['a', 'b', 'c', 'd']) await store.create(newNote(id));
  assert.deepEqual(await reader.words(5), [
    'noop',
    'created a@1',
    'created b@1',
    'created c@1',
    'created d@1',
  ]);
  assert.ok(requests.length > 1);
  assert.equal(
    requests.slice(1).every(({ options }) => options?.startFromBookmark !== undefined),
    true,
  );
  assert.equal(
    delays.every((ms) => ms === 10),
    true,
  );
});

test('a watch without a bookmark cannot resume and reports one error', async () => {
  const store = openMemoryState();
  await store.create(newNote('a'));
  await store.create(newNote('b'));
  const { client } = breakingClient(store, 1);
  using watch = await client.watchKind(notes, { bootstrapContents: true });
  assert.deepEqual(await new EventReader(watch).words(2), ['created a@1', 'errored gone']);
});

test('a watch of protocol version 0 gets no events that old clients cannot decode', async () => {
  const store = openMemoryState();
  const { implementation } = createStateService({ stateOf: () => store, codecs, now: () => 1 });
  await store.create(newNote('a'));
  const request = {
    namespace: 'desk',
    type: notes.type,
    apiVersion: 0,
    options: { bootstrapContents: true, labelQuery: [] },
  };
  const stop = new AbortController();
  const types: (number | undefined)[] = [];
  const stream = implementation.watch(request as never, { signal: stop.signal } as never);
  for await (const { event = [] } of stream) {
    types.push(event[0]?.eventType);
    if (types.length === 2) await store.create(newNote('b'));
    if (types.length === 3) stop.abort();
  }
  assert.deepEqual(types, [undefined, EventType.CREATED, EventType.CREATED]);
});
