import { runsFile, type Suite, suiteOf, suites } from '../suites/suite-table.ts';
import type { SecondsOf } from '../test/file-times.ts';
import { runsAlone } from '../test/runs-alone.ts';
import { rankTests } from './rank-tests.ts';
import type { SourceGraph } from './source-graph.ts';

export interface ChangePlan {
  /** What `make test-changed` runs, likeliest first. */
  readonly tests: readonly string[];
  /** The same for files beside which nothing may run. */
  readonly alone: readonly string[];
  /** Suites that are reached and that only their own verbs run, likeliest first, with the files that are reached. */
  readonly elsewhere: readonly { readonly verb: string; readonly files: readonly string[] }[];
}

export interface ChangeInit {
  readonly graph: SourceGraph;
  readonly paths: readonly string[];
  readonly changed: readonly string[];
  readonly secondsOf: SecondsOf;
}

/** The rules of the house, of documents and of contracts concern every change. They take seconds. */
const rules = [
  'tests/house/',
  'tests/docs/documentation.',
  'tests/contract/proto/',
  'tests/contract/config/',
  'tests/contract/state/',
];
/** They run after the tests next to a change and before those behind a bundle. */
const ruleRank = 3;

export function planChange({ graph, paths, changed, secondsOf }: ChangeInit): ChangePlan {
  const runnable = paths.filter((path) => suites.some((suite) => runsFile(suite, path)));
  const ranks = new Map(rankTests(graph, changed, runnable, secondsOf).map(({ file, rank }) => [file, rank]));
  if (changed.length > 0)
    for (const file of runnable.filter((path) => rules.some((rule) => path.startsWith(rule))))
      ranks.set(file, Math.min(ruleRank, ranks.get(file) ?? ruleRank));
  const reached = [...ranks].toSorted(([, one], [, other]) => one - other).map(([file]) => file);
  const tests = reached.filter((file) => suiteOf(file)?.verb === 'test');
  return {
    tests: tests.filter((file) => !runsAlone(file)),
    alone: tests.filter(runsAlone),
    elsewhere: foreignSuites(reached),
  };
}

/** Suites that run something that no file of `make test` is, each once. */
function foreignSuites(reached: readonly string[]): ChangePlan['elsewhere'] {
  const isForeign = (suite: Suite) => suite.verb !== 'test' && suite.readsAll !== true;
  const found = new Map<string, string[]>();
  for (const file of reached) {
    if (suiteOf(file)?.verb === 'test') continue;
    for (const { verb } of suites.filter((suite) => isForeign(suite) && runsFile(suite, file)))
      found.set(verb, [...(found.get(verb) ?? []), file]);
  }
  return [...found].map(([verb, files]) => ({ verb, files }));
}
