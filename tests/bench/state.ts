// Measures the store of resources: the cost of a write depending on the store's size and watchers, the cost
// of an event for a watcher, and memory. `make bench-state`; JSON goes to _out/bench/state.json. Exits with 1
// when a promise of docs/measurements/resources.md is broken. With RECORD=1 the figures replace those of that page.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordRun, wantsRecord } from './recorded-figures.ts';
import { measureMemory } from './state/measure-memory.ts';
import { measureSlowReaders } from './state/measure-slow-readers.ts';
import { measureWire } from './state/measure-wire.ts';
import { measureWrites } from './state/measure-writes.ts';

const records = wantsRecord();
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
if (records) {
  const figures = rows.flatMap(({ id, measured, unit, runs = [measured] }) =>
    id === undefined ? [] : { id, median: measured, unit: unit === 'x' ? '×' : unit, runs },
  );
  recordRun('resources', 'make bench-state', figures);
}
process.exit(rows.every(({ measured, budget = Infinity }) => measured <= budget) ? 0 : 1);
