import { setImmediate as turn } from 'node:timers/promises';
import { type MemoryState, pointerTo } from '@nodewright/state';
import { members } from '@nodewright/state/kinds';
import {
  countEvents,
  cpuMicroseconds,
  idOf,
  openStore,
  type Row,
  writeCost,
  writesMeasured,
} from './store-under-load.ts';

const many = 100_000;
const readable = (count: number) => count.toLocaleString('en');

/** The sizes of a store in which a write is measured. */
const sizes = [
  { size: 1, id: 'write-1' },
  { size: 10_000, id: 'write-10000' },
  { size: many, id: 'write-100000' },
] as const;

/** The cost of a write depending on the store's size and its watchers. */
export async function measureWrites(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { size, id } of sizes) {
    const start = cpuMicroseconds();
    const store = await openStore(size);
    const creation = (cpuMicroseconds() - start) / size;
    if (size === many)
      rows.push({ what: `a creation, of ${readable(many)}`, measured: creation, unit: 'µs' });
    const alone = await writeCost(store);
    rows.push({ what: `a write, ${readable(size)} resources`, id, measured: alone, unit: 'µs' });
    if (size === many) rows.push(...(await measureOthers(store, alone)), ...(await measureConcerned(store)));
  }
  return rows;
}

/** Many watchers that do not match the written resource. */
async function measureOthers(store: MemoryState, alone: number): Promise<Row[]> {
  using scope = new DisposableStack();
  for (let at = 1; at <= 1000; at += 1) {
    countEvents(scope.use(await store.watch(pointerTo(members, idOf(at)))));
  }
  await turn();
  const others = await writeCost(store);
  return [
    { what: 'the same with 1,000 watchers of other ids', measured: others, unit: 'µs' },
    {
      ...{ what: 'the same against no watchers', id: 'write-beside-watchers' },
      ...{ measured: others / alone, unit: 'x', budget: 2 },
    },
  ];
}

/** Watchers that each write concerns and that keep up: their number counts, the size of the store does not. */
async function measureConcerned(large: MemoryState): Promise<Row[]> {
  const perWatcher = new Map<number, number>();
  for (const count of [10, 100, 1000]) perWatcher.set(count, (await watchedWriteCost(large, count)) / count);
  const small = (await watchedWriteCost(await openStore(1000), 1000)) / 1000;
  const [few = 0, most = 0] = [perWatcher.get(100), perWatcher.get(1000)];
  return [
    ...[...perWatcher].map(([count, measured]) => ({
      what: `a write and its events, for each of ${readable(count)} watchers of the kind`,
      ...{ measured, unit: 'µs' },
    })),
    {
      ...{ what: 'for each of 1,000 against each of 100', id: 'event-by-watchers' },
      ...{ measured: most / few, unit: 'x', budget: 2 },
    },
    {
      what: `for each of 1,000 in a store of ${readable(many)} against one of 1,000`,
      id: 'event-by-size',
      ...{ measured: most / small, unit: 'x', budget: 2 },
    },
  ];
}

/** Microseconds of a write until all its watchers have its event, without the turns of the event loop in between. */
async function watchedWriteCost(store: MemoryState, count: number): Promise<number> {
  using scope = new DisposableStack();
  const watchers: { readonly seen: () => number }[] = [];
  for (let at = 0; at < count; at += 1) watchers.push(countEvents(scope.use(await store.watchKind(members))));
  await turn();
  const writes = count >= 1000 ? writesMeasured / 10 : writesMeasured;
  const watched = await writeCost(store, () => turn(), writes);
  if (watchers.some(({ seen }) => seen() !== writes)) throw new Error('a watcher has missed events');
  const turns = await writeCost(await openStore(1), () => turn(), writes);
  return watched - turns;
}
