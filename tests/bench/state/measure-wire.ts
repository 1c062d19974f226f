import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { createRpcClient, createRpcServer, openUnixChannel } from '@nodewright/rpc';
import { codecsOf, pointerTo, type Resource } from '@nodewright/state';
import { type MemberSpec, members } from '@nodewright/state/kinds';
import { createStateClient, createStateService } from '@nodewright/state/wire';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { median } from '../median.ts';
import { countEvents, idOf, openStore, type Row } from './store-under-load.ts';

/** The same over gRPC, both ends in this process. */
export async function measureWire(): Promise<Row[]> {
  await using scope = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'bench-state-'));
  scope.defer(() => rmSync(folder, { recursive: true }));
  const store = await openStore(10_000);
  const codecs = codecsOf([members]);
  const stop = new AbortController();
  const service = createStateService({ stateOf: () => store, codecs, now: () => 1, stopSignal: stop.signal });
  const log = createLogger({ name: 'bench', telemetry: noTelemetry, level: 'silent' });
  const server = scope.use(createRpcServer({ services: [service], telemetry: noTelemetry, log }));
  scope.defer(() => stop.abort());
  await server.listenUnix(join(folder, 'state.sock'));
  const channel = scope.use(openUnixChannel(join(folder, 'state.sock')));
  const state = createStateClient({
    client: createRpcClient(StateDefinition, channel, { telemetry: noTelemetry }),
    codecs,
  });

  const lists: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const start = performance.now();
    if ((await state.list(members)).length !== 10_000) throw new Error('the list is not whole');
    lists.push(performance.now() - start);
  }
  const watchers: { readonly seen: () => number }[] = [];
  for (let at = 0; at < 100; at += 1) watchers.push(countEvents(scope.use(await state.watchKind(members))));
  const changes = 50;
  const start = performance.now();
  let resource: Resource<MemberSpec> = await store.get(pointerTo(members, idOf(0)));
  for (let at = 1; at <= changes; at += 1) {
    resource = await store.update({ ...resource, spec: { ...resource.spec, nodeId: `${at}` } });
    while (watchers.some(({ seen }) => seen() < at)) await turn();
  }
  const event = ((performance.now() - start) * 1000) / changes / watchers.length;
  return [
    {
      ...{ what: 'a list of 10,000 over gRPC, both ends in one process', id: 'list-wire' },
      ...{ measured: median(lists), unit: 'ms', runs: lists },
    },
    {
      ...{ what: 'an event over gRPC, for each of 100 watchers, both ends', id: 'event-wire' },
      ...{ measured: event, unit: 'µs' },
    },
  ];
}
