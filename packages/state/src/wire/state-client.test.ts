import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { createRpcClient, createRpcServer, openUnixChannel } from '@nodewright/rpc';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { notes, testStateConformance } from '../conformance/index.ts';
import { openMemoryState } from '../conformance/open-memory-state.ts';
import { codecsOf } from '../meta/register.ts';
import { createStateClient } from './state-client.ts';
import { createStateService } from './state-service.ts';

const codecs = codecsOf([notes]);
const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });

testStateConformance('a state behind gRPC', async () => {
  await using scope = new AsyncDisposableStack();
  const store = openMemoryState();
  const folder = await mkdtemp(join(tmpdir(), 'state-'));
  scope.defer(() => rm(folder, { recursive: true }));
  const stop = new AbortController();
  const server = scope.use(
    createRpcServer({
      services: [createStateService({ stateOf: () => store, codecs, now: () => 1, stopSignal: stop.signal })],
      telemetry: noTelemetry,
      log,
    }),
  );
  scope.defer(() => stop.abort());
  const path = join(folder, 'state.sock');
  await server.listenUnix(path);
  const channel = scope.use(openUnixChannel(path));
  const client = createRpcClient(StateDefinition, channel, { telemetry: noTelemetry });
  const resources = scope.move();
  return {
    state: createStateClient({ client, codecs }),
    store,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
});
