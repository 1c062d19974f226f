// Messages that our own client would not send or show.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CreateRequest,
  ListRequest,
  UpdateRequest,
  WatchRequest,
  type WatchResponse,
} from '@nodewright/contract/gen/cosi/resource/state.ts';
import { faultFrom } from '@nodewright/fault';
import { newNote, note, notes, openMemoryState } from '../conformance/index.ts';
import { codecsOf } from '../meta/register.ts';
import { EncodedSpec } from '../spec/encoded-spec.ts';
import { createStateClient } from './state-client.ts';
import { createStateService } from './state-service.ts';

const target = { namespace: 'desk', type: notes.type };

function openService() {
  const store = openMemoryState();
  const { implementation } = createStateService({
    stateOf: () => store,
    codecs: codecsOf([notes]),
    now: () => 1500,
  });
  const stop = new AbortController();
  const context = { signal: stop.signal } as never;
  return { store, service: implementation, context, stop };
}

async function kindOfFailure(call: () => unknown): Promise<string> {
  try {
    const result = await call();
    if (result !== null && typeof result === 'object' && Symbol.asyncIterator in result) {
      for await (const _ of result as AsyncIterable<unknown>) break;
    }
  } catch (error) {
    return faultFrom(error).kind;
  }
  return 'none';
}

test('a watch of one id rejects contents and label queries, and ignores id queries', async () => {
  const { service, context } = openService();
  const watch = (options: object) => () =>
    service.watch(WatchRequest.fromPartial({ ...target, id: 'a', options, apiVersion: 1 }), context);
  assert.equal(await kindOfFailure(watch({ bootstrapContents: true })), 'unimplemented');
  assert.equal(await kindOfFailure(watch({ labelQuery: [{ terms: [{ key: 'a' }] }] })), 'unimplemented');
  assert.equal(await kindOfFailure(watch({ idQuery: { regexp: '(' } })), 'none');
});

test('a resource is encoded once for all lists, and again after it has changed', async () => {
  const store = openMemoryState();
  const codec = codecsOf([notes]).get(notes.type);
  assert.ok(codec);
  let encodings = 0;
  const counting = {
    toYaml: (spec: unknown) => codec.toYaml(spec),
    fromProto: (bytes: Uint8Array) => codec.fromProto(bytes),
    toProto: (spec: unknown) => {
      encodings += 1;
      return codec.toProto(spec);
    },
  };
  const { implementation } = createStateService({
    stateOf: () => store,
    codecs: new Map([[notes.type, counting]]),
    now: () => 1500,
  });
  await store.create(newNote('a'));
  const created = await store.create(newNote('b'));
  const versions = async () => {
    const listed: (string | undefined)[] = [];
    const context = { signal: new AbortController().signal } as never;
    for await (const { resource } of implementation.list(ListRequest.fromPartial(target), context))
      listed.push(resource?.metadata?.version);
    return listed;
  };
  assert.deepEqual([await versions(), await versions(), encodings], [['1', '1'], ['1', '1'], 2]);
  await store.update(created);
  assert.deepEqual([await versions(), encodings], [['1', '2'], 3]);
});

test('rejects a query with an unknown operation or without a value', async () => {
  const { service, context } = openService();
  const list = (term: object) => () =>
    service.list(
      ListRequest.fromPartial({ ...target, options: { labelQuery: [{ terms: [term] }] } }),
      context,
    );
  assert.equal(await kindOfFailure(list({ key: 'a', op: 77 as never })), 'unimplemented');
  assert.equal(await kindOfFailure(list({ key: 'a', op: 1 })), 'invalid-argument');
  assert.equal(await kindOfFailure(list({ key: 'a', op: 2 })), 'none');
});

test('rejects a resource without metadata or spec, or with an invalid version or phase', async () => {
  const { service, context } = openService();
  const metadata = { ...note('a'), version: '1', phase: 'running' };
  const spec = { yamlSpec: '', protoSpec: Buffer.alloc(0) };
  const create = (resource: object) => () => service.create(CreateRequest.fromPartial({ resource }), context);
  for (const resource of [
    { metadata },
    { spec },
    { metadata: { ...metadata, version: 'one' }, spec },
    { metadata: { ...metadata, phase: 'asleep' }, spec },
    { metadata, spec: { ...spec, protoSpec: Buffer.from([0xff]) } },
  ])
    assert.equal(await kindOfFailure(create(resource)), 'invalid-argument', JSON.stringify(resource));
  assert.equal(await kindOfFailure(create({ metadata, spec })), 'none');
});

test('an update without an expected phase accepts any phase', async () => {
  const { store, service, context } = openService();
  await store.create(newNote('a', { finalizers: ['f'] }));
  await store.teardown(note('a'));
  const update = (expectedPhase?: string) => () =>
    service.update(
      UpdateRequest.fromPartial({
        newResource: {
          metadata: { ...note('a'), version: '2', phase: 'tearingDown' },
          spec: { protoSpec: Buffer.alloc(0) },
        },
        options: { expectedPhase },
      }),
      context,
    );
  assert.equal(await kindOfFailure(update('running')), 'invalid-argument');
  assert.equal(await kindOfFailure(update()), 'none');
});

test('messages have both encodings, and a tombstone has times, a phase and an empty spec', async () => {
  const { store, service, context, stop } = openService();
  await store.create(newNote('a', { labels: { l: '1' } }));
  const request = { ...target, apiVersion: 1, options: { bootstrapContents: true, aggregated: true } };
  const responses: WatchResponse[] = [];
  for await (const response of service.watch(WatchRequest.fromPartial(request), context)) {
    responses.push(response as WatchResponse);
    if (responses.length === 2) stop.abort();
  }
  const [ready, contents] = responses;
  assert.deepEqual(ready?.event, []);
  const [created, bootstrapped] = contents?.event ?? [];
  assert.equal(created?.bookmark, undefined);
  assert.equal(bootstrapped?.bookmark?.length, 16);
  assert.deepEqual(created?.resource, {
    metadata: {
      ...{ ...note('a'), version: '1', owner: '', phase: 'running', finalizers: [] },
      ...{ labels: { l: '1' }, annotations: {} },
      created: { seconds: 1_700_000_000n, nanos: 0 },
      updated: { seconds: 1_700_000_000n, nanos: 0 },
    },
    spec: { yamlSpec: 'text: a\ncount: 0\n', protoSpec: Buffer.from([10, 1, 97]) },
  });
  const time = { seconds: 1n, nanos: 500_000_000 };
  assert.deepEqual(bootstrapped?.resource, {
    metadata: {
      ...{ ...target, id: '', version: 'undefined', owner: '', phase: 'running', finalizers: [] },
      ...{ labels: {}, annotations: {}, created: time, updated: time },
    },
    spec: { yamlSpec: '', protoSpec: Buffer.alloc(0) },
  });
});

test('a resource of an unknown type keeps both of its encodings', async () => {
  const { service, context } = openService();
  const metadata = { namespace: 'desk', type: 'Unknowns.x', id: 'a', phase: 'running' };
  const spec = { yamlSpec: 'any: thing\n', protoSpec: Buffer.from([1, 2, 3]) };
  await service.create(CreateRequest.fromPartial({ resource: { metadata, spec } }), context);
  const state = createStateClient({
    client: { get: (request: never) => service.get(request, context) } as never,
  });
  const resource = await state.get({ namespace: 'desk', type: 'Unknowns.x', id: 'a' });
  assert.deepEqual(resource.spec, new EncodedSpec('any: thing\n', Buffer.from([1, 2, 3])));
});

test('a client falls back to updates for teardown, and remembers that the server lacks the call', async () => {
  const { store, service, context } = openService();
  let teardownCalls = 0;
  const client = {
    get: (request: never) => service.get(request, context),
    update: (request: never) => service.update(request, context),
    teardown: async () => {
      teardownCalls += 1;
      throw Object.assign(new Error(), { code: 12, details: 'unknown method' });
    },
  };
  const state = createStateClient({ client: client as never, codecs: codecsOf([notes]) });
  await store.create(newNote('a'));
  await store.create(newNote('b', { finalizers: ['f'] }));
  const answers = [
    await state.teardown(note('a')),
    await state.teardown(note('b')),
    await state.teardown(note('b')),
  ];
  assert.deepEqual([answers, teardownCalls], [[true, false, false], 1]);
  assert.equal((await store.get(note('b'))).metadata.version, 2);
});
