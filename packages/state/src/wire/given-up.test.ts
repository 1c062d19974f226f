import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { createRpcClient, createRpcServer, openUnixChannel } from '@nodewright/rpc';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { note, notes } from '../conformance/notes.ts';
import { openMemoryState } from '../conformance/open-memory-state.ts';
import { createStateClient } from './state-client.ts';
import { createStateService } from './state-service.ts';

test('reads abort with their signal when the server does not answer', async () => {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'state-'));
  scope.defer(() => rm(folder, { recursive: true }));
  const stop = new AbortController();
  const init = { stateOf: () => openMemoryState(), codecs: new Map(), now: () => 1, stopSignal: stop.signal };
  const service = createStateService(init);
  const received = { get: Promise.withResolvers<void>(), list: Promise.withResolvers<void>() };
  const noAnswer = Promise.withResolvers<never>();
  const implementation = {
    ...service.implementation,
    get: () => {
      received.get.resolve();
      return noAnswer.promise;
    },
    async *list() {
      received.list.resolve();
      yield await noAnswer.promise;
    },
  };
  const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
  const services = [{ ...service, implementation }];
  const server = scope.use(createRpcServer({ services, telemetry: noTelemetry, log }));
  scope.defer(() => noAnswer.reject(new Error('the test is over')));
  await server.listenUnix(join(folder, 'state.sock'));
  const channel = scope.use(openUnixChannel(join(folder, 'state.sock')));
  const client = createRpcClient(StateDefinition, channel, { telemetry: noTelemetry });
  const state = createStateClient({ client });

  const abort = new AbortController();
  const options = { signal: abort.signal };
  const reads = Promise.allSettled([state.get(note('a'), options), state.list(notes, options)]);
  await Promise.all([received.get.promise, received.list.promise]);
  abort.abort();
  assert.deepEqual(
    (await reads).map((read) => read.status === 'rejected' && read.reason.kind),
    ['cancelled', 'cancelled'],
  );
});
