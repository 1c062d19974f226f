import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { members } from '@nodewright/state/kinds';
import { countEvents, openStore, type Row, writeCost } from './store-under-load.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Memory of resources, their history and watchers. */
export async function measureMemory(): Promise<Row[]> {
  const heap = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = heap();
  const store = await openStore(10_000);
  const full = heap();
  using scope = new DisposableStack();
  for (let at = 0; at < 100; at += 1) countEvents(scope.use(await store.watchKind(members)));
  await turn();
  const watched = heap();
  await writeCost(store);
  const megabyte = 1024 * 1024;
  return [
    {
      what: '10,000 resources and their history',
      id: 'history-memory',
      measured: (full - before) / megabyte,
      unit: 'MB',
      budget: 15,
    },
    { what: 'a watcher', id: 'watcher-memory', measured: (watched - full) / 100 / 1024, unit: 'kB' },
  ];
}
