import { reachedFiles } from '../changed/rank-tests.ts';
import type { SourceGraph } from '../changed/source-graph.ts';
import type { SuiteResult } from './suite-results.ts';
import { runsFile, suites } from './suite-table.ts';

export interface SuiteState {
  /** `passed`: it passed, and nothing that it reaches has changed since. */
  readonly state: 'passed' | 'failed' | 'outdated' | 'unknown' | 'not run';
  readonly note: string;
}

export interface SuiteStateInit {
  readonly verb: string;
  readonly result: SuiteResult | undefined;
  /** The files that differ from those that were tested. Undefined when that is not known. */
  readonly changed: readonly string[] | undefined;
  readonly graph: SourceGraph;
  readonly paths: readonly string[];
}

/** What the last result of a suite says about the files as they are now. */
export function suiteState({ verb, result, changed, graph, paths }: SuiteStateInit): SuiteState {
  if (result === undefined) return { state: 'not run', note: '' };
  const ran = `${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped at ${result.commit.slice(0, 9)}${result.clean ? '' : ' with changes'}, ${result.when}`;
  if (result.failed > 0) return { state: 'failed', note: ran };
  // Without what it needs a suite skips itself.
  if (result.passed === 0) return { state: 'not run', note: ran };
  if (changed === undefined) return { state: 'unknown', note: `the tested files are not known: ${ran}` };
  const reached = changedOf(verb, changed, graph, paths);
  if (reached.length === 0) return { state: 'passed', note: ran };
  return { state: 'outdated', note: `${reached.length} files changed, such as ${reached[0]}: ${ran}` };
}

function changedOf(verb: string, changed: readonly string[], graph: SourceGraph, paths: readonly string[]) {
  const own = suites.filter((suite) => suite.verb === verb);
  if (own.some(({ readsAll }) => readsAll === true)) return changed;
  const entries = paths.filter((path) => own.some((suite) => runsFile(suite, path)));
  const reached = reachedFiles(graph, entries);
  // A file that was deleted is in no graph.
  const present = new Set(paths);
  return changed.filter((path) => reached.has(path) || !present.has(path));
}
