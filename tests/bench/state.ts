// Measures the store of resources: what a write costs by what is in the store and who watches, what an event costs a
// watcher, and memory. `make bench-state`; JSON goes to _out/bench/state.json. Ends with 1 when SPEC.md is not kept.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { createRpcClient, createRpcServer, openUnixChannel } from '@nodewright/rpc';
import { codecsOf, MemoryState, pointerTo, type Resource, type Watch } from '@nodewright/state';
import { type MemberSpec, members } from '@nodewright/state/kinds';
import { createStateClient, createStateService } from '@nodewright/state/wire';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { median } from './median.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const rounds = 5;
const writesPerRound = 4000;

interface Row {
  readonly what: string;
  readonly measured: number;
  readonly unit: string;
  /** At most so much, where SPEC.md promises it. */
  readonly budget?: number;
}

const idOf = (at: number) => `node${String(at).padStart(6, '0')}`;

const newMember = (at: number) => ({
  ...pointerTo(members, idOf(at)),
  spec: {
    nodeId: `${at}`,
    addresses: [`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`],
    hostname: idOf(at),
    machineType: 'worker' as const,
    operatingSystem: 'Talos (v1.14.0)',
    controlPlane: undefined,
  },
});

async function openStore(count: number): Promise<MemoryState> {
  const store = new MemoryState({
    now: () => performance.timeOrigin + performance.now(),
    cookie: randomBytes(8),
  });
  for (let at = 0; at < count; at += 1) await store.create(newMember(at));
  return store;
}

/** Microseconds of a write, the median of several rounds of updates of one resource. */
async function writeCost(store: MemoryState, afterEach?: () => Promise<void>): Promise<number> {
  let resource: Resource<MemberSpec> = await store.get(pointerTo(members, idOf(0)));
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    for (let at = 0; at < writesPerRound; at += 1) {
      const spec = { ...resource.spec, nodeId: `${round}-${at}` };
      resource = await store.update({ ...resource, spec });
      if (afterEach !== undefined) await afterEach();
    }
    times.push(((performance.now() - start) * 1000) / writesPerRound);
  }
  return median(times);
}

/** Reads a watch to its end; counts what comes. */
function count(watch: Watch): { readonly seen: () => number } {
  let seen = 0;
  void (async () => {
    for await (const events of watch) seen += events.length;
  })();
  return { seen: () => seen };
}

async function measureWrites(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of [1, 10_000, 100_000]) {
    const start = performance.now();
    const store = await openStore(size);
    const createCost = ((performance.now() - start) * 1000) / size;
    if (size === 100_000) rows.push({ what: 'a creation, of 100,000', measured: createCost, unit: 'µs' });
    const cost = await writeCost(store);
    rows.push({ what: `a write, ${size.toLocaleString('en')} resources`, measured: cost, unit: 'µs' });
    if (size === 100_000) rows.push(...(await measureCrowd(store, cost)));
  }
  return rows;
}

/** A large store with many watchers that a write does not concern, then with those that it does. */
async function measureCrowd(store: MemoryState, alone: number): Promise<Row[]> {
  using scope = new DisposableStack();
  for (let at = 1; at <= 1000; at += 1) count(scope.use(await store.watch(pointerTo(members, idOf(at)))));
  await turn();
  const others = await writeCost(store);
  const kindWatchers: { readonly seen: () => number }[] = [];
  for (let at = 0; at < 100; at += 1) kindWatchers.push(count(scope.use(await store.watchKind(members))));
  await turn();
  const watched = await writeCost(store, () => turn());
  const expected = rounds * writesPerRound;
  if (kindWatchers.some(({ seen }) => seen() !== expected)) throw new Error('a watcher has missed events');
  const turns = await writeCost({ ...dummy(store) } as MemoryState, () => turn());
  return [
    { what: 'the same with 1,000 watchers of other ids', measured: others, unit: 'µs' },
    { what: 'the same against no watchers', measured: others / alone, unit: 'x', budget: 2 },
    { what: 'an event, for each of 100 watchers of the kind', measured: (watched - turns) / 100, unit: 'µs' },
  ];
}

/** Writes to a store that nobody watches, for the cost of the turns in between. */
function dummy(store: MemoryState): Pick<MemoryState, 'get' | 'update'> {
  const quiet = new MemoryState({ now: () => 1, cookie: randomBytes(8) });
  return {
    get: async (pointer) => {
      const { spec } = await store.get(pointer);
      return quiet.create({ ...pointer, spec });
    },
    update: (resource, options) => quiet.update(resource, options),
  };
}

async function measureSlowReaders(): Promise<Row[]> {
  const store = await openStore(1000);
  const alone = await writeCost(store);
  using scope = new DisposableStack();
  for (let at = 0; at < 1000; at += 1) scope.use(await store.watchKind(members));
  const behind = await writeCost(store);
  return [
    {
      what: 'a write with 1,000 watchers that never read, against none',
      measured: behind / alone,
      unit: 'x',
      budget: 1.5,
    },
  ];
}

async function measureMemory(): Promise<Row[]> {
  const heap = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = heap();
  const store = await openStore(10_000);
  const full = heap();
  using scope = new DisposableStack();
  for (let at = 0; at < 100; at += 1) count(scope.use(await store.watchKind(members)));
  await turn();
  const watched = heap();
  await writeCost(store);
  const megabyte = 1024 * 1024;
  return [
    {
      what: '10,000 resources and their history',
      measured: (full - before) / megabyte,
      unit: 'MB',
      budget: 15,
    },
    { what: 'a watcher', measured: (watched - full) / 100 / 1024, unit: 'kB' },
  ];
}

async function measureWire(): Promise<Row[]> {
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
  for (let at = 0; at < 100; at += 1) watchers.push(count(scope.use(await state.watchKind(members))));
  const changes = 50;
  const start = performance.now();
  let resource: Resource<MemberSpec> = await store.get(pointerTo(members, idOf(0)));
  for (let at = 1; at <= changes; at += 1) {
    resource = await store.update({ ...resource, spec: { ...resource.spec, nodeId: `${at}` } });
    while (watchers.some(({ seen }) => seen() < at)) await turn();
  }
  const event = ((performance.now() - start) * 1000) / changes / watchers.length;
  return [
    { what: 'a list of 10,000 over gRPC, both ends in one process', measured: median(lists), unit: 'ms' },
    { what: 'an event over gRPC, for each of 100 watchers, both ends', measured: event, unit: 'µs' },
  ];
}

const rows = [
  ...(await measureWrites()),
  ...(await measureSlowReaders()),
  ...(await measureMemory()),
  ...(await measureWire()),
];
const width = Math.max(...rows.map(({ what }) => what.length));
for (const { what, measured, unit, budget } of rows) {
  const promise =
    budget === undefined ? '' : `   at most ${budget} ${unit}   ${measured <= budget ? 'kept' : 'NOT KEPT'}`;
  process.stdout.write(`${what.padEnd(width)}   ${measured.toFixed(2).padStart(9)} ${unit}${promise}\n`);
}
const results = join(import.meta.dirname, '..', '..', '_out', 'bench');
mkdirSync(results, { recursive: true });
writeFileSync(join(results, 'state.json'), `${JSON.stringify(rows, null, 2)}\n`);
process.exit(rows.every(({ measured, budget = Infinity }) => measured <= budget) ? 0 : 1);
