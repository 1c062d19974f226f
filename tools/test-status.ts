// `make test-status`: which suites passed on the files as they are now, and which did not since files that they reach were changed.
import { join } from 'node:path';
import { readCheckoutGraph } from './changed/checkout-graph.ts';
import { readResults } from './suites/suite-results.ts';
import { suiteState } from './suites/suite-state.ts';
import { suites } from './suites/suite-table.ts';
import { changedBetween, readWorkingTree } from './suites/working-tree.ts';

const checkout = join(import.meta.dirname, '..');
const now = readWorkingTree(checkout);
const { paths, graph } = readCheckoutGraph(checkout);
const results = new Map(readResults(checkout).map((result) => [result.suite, result]));
const verbs = [...new Set(suites.map(({ verb }) => verb))];
const rows = verbs.map((verb) => {
  const result = results.get(verb);
  const changed =
    now === undefined || result === undefined || result.tree === ''
      ? undefined
      : changedBetween(checkout, result.tree, now.tree);
  return { verb, ...suiteState({ verb, result, changed, graph, paths }) };
});

if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
else process.stdout.write(table());

function table(): string {
  const width = Math.max(...verbs.map((verb) => verb.length));
  const lines = rows.map(({ verb, state, note }) =>
    `${verb.padEnd(width)}  ${state.padEnd(8)}  ${note}`.trimEnd(),
  );
  const passed = rows.filter(({ state }) => state === 'passed').length;
  return `${lines.join('\n')}\n${passed} of ${rows.length} suites passed since what they reach was changed\n`;
}
