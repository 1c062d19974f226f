import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundles } from '@nodewright/build/bundles';
import { runsFile, suites } from '../suites/suite-table.ts';
import { listFiles } from '../suites/working-tree.ts';
import {
  type AddedEdge,
  addEdges,
  distances,
  type Program,
  programNode,
  type SourceGraph,
  sourceGraph,
} from './source-graph.ts';

const daemons = ['machined', 'apid', 'trustd', 'registryd', 'udevd-bridge'];

/** What a program starts on nodes, which no file of a test names. */
const started: Readonly<Record<string, readonly string[]>> = {
  talosctl: ['process-supervisor', 'docker-keeper'],
  'process-supervisor': ['machined'],
  machined: daemons.slice(1),
};

/** What all bundles are made with. */
const buildInputs = [
  'package-lock.json',
  ...['build.ts', 'binary-codecs.ts', 'split-bundle.ts'].map((name) => `tools/${name}`),
  'packages/build/src/bundles',
];

const programs: readonly Program[] = [
  ...bundles.map(({ name, entry, workers = {}, apart = {}, page }) => ({
    name,
    madeFrom: [
      entry,
      ...Object.values(workers),
      ...Object.values(apart),
      ...(page === undefined ? [] : [page.from]),
      ...buildInputs,
    ],
    starts: started[name] ?? [],
  })),
  {
    name: 'container-images',
    madeFrom: ['images', 'tools/images', 'compose.yaml'],
    starts: [...daemons, 'talosctl'],
  },
  { name: 'image', madeFrom: ['rootfs'], starts: [...daemons, 'start-daemon'] },
  { name: 'kubernetes', madeFrom: ['packages/build/src/kubernetes'], starts: [] },
];

export interface CheckoutGraph {
  /** Every file of the checkout that Git does not ignore. */
  readonly paths: readonly string[];
  readonly graph: SourceGraph;
}

/**
 * The graph of the files as they are now, committed or not. Files that `changed` names and that are gone are in it, too: what names
 * them, or their folder, depends on them.
 */
export function readCheckoutGraph(checkout: string, changed: readonly string[] = []): CheckoutGraph {
  const present = new Set(listFiles(checkout));
  const paths = [...present.union(new Set(changed))];
  const read = (path: string) => (present.has(path) ? readFileSync(join(checkout, path), 'utf8') : '');
  const graph = sourceGraph({ paths, read }, programs);
  return { paths: [...present], graph: addEdges(graph, paths.flatMap(edgesOfSuite)) };
}

/** The programs that the suites of a file use without naming them. */
function edgesOfSuite(file: string): AddedEdge[] {
  if (!file.startsWith('tests/')) return [];
  const used = suites.filter((suite) => suite.programs !== undefined && runsFile(suite, file));
  return used.flatMap(({ programs: names = [] }) =>
    names.map((name) => ({ from: file, to: programNode(name), distance: distances.namedProgram })),
  );
}
