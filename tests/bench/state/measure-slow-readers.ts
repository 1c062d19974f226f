import { setImmediate as turn } from 'node:timers/promises';
import { members } from '@nodewright/state/kinds';
import { countEvents, openStore, type Row, writeCost, writesMeasured } from './store-under-load.ts';

/** The cost of watchers that never read, for the writer and for other watchers. */
export async function measureSlowReaders(): Promise<Row[]> {
  const store = await openStore(1000);
  using readers = new DisposableStack();
  const alone = await writeCost(store);
  const slow = new DisposableStack();
  for (let at = 0; at < 1000; at += 1) slow.use(await store.watchKind(members));
  const behind = await writeCost(store);
  slow.dispose();

  const quick = Array.from({ length: 10 }, async () =>
    countEvents(readers.use(await store.watchKind(members))),
  );
  const watchers = await Promise.all(quick);
  await turn();
  const readAlone = await writeCost(store, () => turn());
  using crowd = new DisposableStack();
  for (let at = 0; at < 1000; at += 1) crowd.use(await store.watchKind(members));
  const readBehind = await writeCost(store, () => turn());
  if (watchers.some(({ seen }) => seen() !== 2 * writesMeasured))
    throw new Error('a watcher has missed events');
  return [
    {
      what: 'a write with 1,000 watchers that never read, against none',
      id: 'write-beside-slow-readers',
      ...{ measured: behind / alone, unit: 'x', budget: 1.5 },
    },
    {
      what: 'a write and its events for 10 watchers, beside 1,000 that never read, against none',
      id: 'event-beside-slow-readers',
      ...{ measured: readBehind / readAlone, unit: 'x', budget: 1.5 },
    },
  ];
}
