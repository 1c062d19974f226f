// The order in which tests run after a change: those first that are likeliest to notice it.
import { isProgram, type SourceGraph } from './source-graph.ts';

export interface RankedTest {
  readonly file: string;
  /** Smaller is likelier: the distance to the nearest changed file, less what their paths have in common. */
  readonly rank: number;
  /** The nearest changed file. */
  readonly change: string;
}

/** How much nearer each word makes a test that its path shares with that of the changed file. */
const wordWeight = 0.75;
/** More words in common say nothing more. */
const mostWords = 4;

/**
 * The tests among `tests` that reach a changed file, likeliest first. A changed test reaches itself. `isSlow` puts a test after
 * others of the same rank.
 */
export function rankTests(
  graph: SourceGraph,
  changed: Iterable<string>,
  tests: readonly string[],
  secondsOf: (file: string) => number,
): RankedTest[] {
  const reached = distancesFrom(reversed(graph), new Set(changed));
  return tests
    .flatMap((file) => {
      const nearest = reached.get(file);
      if (nearest === undefined) return [];
      const rank = nearest.distance - wordWeight * Math.min(mostWords, wordsInCommon(file, nearest.change));
      return [{ file, rank, change: nearest.change }];
    })
    .toSorted(
      (a, b) => a.rank - b.rank || secondsOf(a.file) - secondsOf(b.file) || (a.file < b.file ? -1 : 1),
    );
}

/** Every file that some of `entries` reach, and the entries themselves. */
export function reachedFiles(graph: SourceGraph, entries: Iterable<string>): Set<string> {
  const seen = new Set<string>(entries);
  for (const file of seen) for (const { to } of graph.get(file) ?? []) seen.add(to);
  return seen;
}

/** Whether a test starts something that has to be built before. */
export const usesPrograms = (graph: SourceGraph, test: string): boolean =>
  reachedFiles(graph, [test]).values().some(isProgram);

interface Nearest {
  readonly distance: number;
  readonly change: string;
}

type Incoming = ReadonlyMap<string, readonly { readonly from: string; readonly distance: number }[]>;

function reversed(graph: SourceGraph): Incoming {
  const incoming = new Map<string, { from: string; distance: number }[]>();
  for (const [from, edges] of graph)
    for (const { to, distance } of edges) {
      const known = incoming.get(to) ?? [];
      known.push({ from, distance });
      incoming.set(to, known);
    }
  return incoming;
}

/** Dijkstra's algorithm with a bucket per distance: distances are small integers. */
function distancesFrom(incoming: Incoming, changed: ReadonlySet<string>): Map<string, Nearest> {
  const nearest = new Map<string, Nearest>();
  const buckets: { file: string; change: string }[][] = [
    [...changed].map((file) => ({ file, change: file })),
  ];
  for (let distance = 0; distance < buckets.length; distance += 1)
    for (const { file, change } of buckets[distance] ?? []) {
      if (nearest.has(file)) continue;
      nearest.set(file, { distance, change });
      for (const edge of incoming.get(file) ?? []) {
        const at = distance + edge.distance;
        buckets[at] ??= [];
        buckets[at].push({ file: edge.from, change });
      }
    }
  return nearest;
}

const commonWords = new Set([
  'src',
  'test',
  'tests',
  'ts',
  'packages',
  'services',
  'cli',
  'domain',
  'host',
  'rpc',
]);

/** How many words the paths of two files share, other than those that most paths have. */
function wordsInCommon(one: string, other: string): number {
  const wordsOf = (path: string) =>
    new Set(path.split(/[^a-z0-9]+/i).filter((word) => word.length > 1 && !commonWords.has(word)));
  return wordsOf(one).intersection(wordsOf(other)).size;
}
