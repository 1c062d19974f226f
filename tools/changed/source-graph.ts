// Which files a file of the checkout depends on, so that a change leads to the tests that may notice it. Imports are not enough: tests
// start bundles, run other programs, and read fixtures and documents.
import { dirname, join, matchesGlob } from 'node:path';

/** The files of a checkout, by paths below it. */
export interface SourceTree {
  readonly paths: readonly string[];
  read(path: string): string;
}

/** What is built from several files and started by its name, such as a bundle. */
export interface Program {
  readonly name: string;
  /** Paths below the checkout, of files or folders. */
  readonly madeFrom: readonly string[];
  /** Names of the programs that this one starts. */
  readonly starts: readonly string[];
}

/** A file or a program that is reached, and how far away it is: a test is likelier to notice a change that is near. */
export interface Edge {
  readonly to: string;
  readonly distance: number;
}

/** What each file, and each program as `program:<name>`, depends on. */
export type SourceGraph = ReadonlyMap<string, readonly Edge[]>;

export const distances = {
  import: 1,
  path: 1,
  folder: 2,
  pattern: 3,
  namedProgram: 2,
  startedProgram: 3,
  everyProgram: 4,
  entry: 1,
};

/** In these folders all files are sources of almost every test. A test that names one of them reads them all, by rules of its own. */
const tooLarge = new Set(['.', 'packages', 'services', 'cli', 'tests', 'tools']);

const importPattern = /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)(['"])([^'"\n]+)\1/gm;
const joinPattern = /\b(?:join|resolve)\(((?:[^()]|\([^()]*\))*)\)/g;
const literalPattern = /(['"`])((?:[^'"`\\\n$]|\$\{[^}]*\})+)\1/g;

/** Builds the graph of all TypeScript files of the tree. */
export function sourceGraph(tree: SourceTree, programs: readonly Program[]): SourceGraph {
  const index = indexOf(tree);
  const graph = new Map<string, readonly Edge[]>();
  for (const path of tree.paths)
    if (/\.tsx?$/.test(path)) graph.set(path, edgesOf(path, tree.read(path), index, programs));
  for (const { name, madeFrom, starts } of programs)
    graph.set(programNode(name), [
      ...madeFrom.flatMap((path) => filesAt(path, index).map((to) => ({ to, distance: distances.entry }))),
      ...starts.map((started) => ({ to: programNode(started), distance: distances.startedProgram })),
    ]);
  return graph;
}

export interface AddedEdge extends Edge {
  readonly from: string;
}

export function addEdges(graph: SourceGraph, added: readonly AddedEdge[]): SourceGraph {
  const all = new Map(graph);
  for (const { from, to, distance } of added) all.set(from, [...(all.get(from) ?? []), { to, distance }]);
  return all;
}

export const programNode = (name: string) => `program:${name}`;
export const isProgram = (node: string) => node.startsWith('program:');

interface Index {
  readonly files: ReadonlySet<string>;
  /** The files below each folder. */
  readonly folders: ReadonlyMap<string, readonly string[]>;
  /** The source of each way to import a package: `@nodewright/state/follow` and so on. */
  readonly packages: ReadonlyMap<string, string>;
}

function indexOf(tree: SourceTree): Index {
  const folders = new Map<string, string[]>();
  const packages = new Map<string, string>();
  for (const path of tree.paths) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      const files = folders.get(folder) ?? [];
      files.push(path);
      folders.set(folder, files);
    }
    if (!/^(packages|services|cli)\/[^/]+\/package\.json$/.test(path)) continue;
    const { name, exports = {} } = JSON.parse(tree.read(path)) as {
      name: string;
      exports?: Record<string, string>;
    };
    for (const [key, target] of Object.entries(exports))
      for (const [entry, file] of exportedFiles(key, join(dirname(path), target), tree.paths))
        packages.set(join(name, entry), file);
  }
  return { files: new Set(tree.paths), folders, packages };
}

/** The names under which a package exports files: one, or with `*` one for each file of a folder. */
function exportedFiles(key: string, target: string, paths: readonly string[]): (readonly [string, string])[] {
  if (!key.endsWith('/*')) return [[key, target]];
  const [prefix, folder] = [key.slice(0, -1), target.slice(0, -1)];
  return paths
    .filter((path) => path.startsWith(folder))
    .map((path) => [prefix + path.slice(folder.length), path] as const);
}

function edgesOf(path: string, source: string, index: Index, programs: readonly Program[]): Edge[] {
  const found = new Map<string, number>();
  const add = (to: string, distance: number) => {
    if (to !== path) found.set(to, Math.min(distance, found.get(to) ?? distance));
  };
  for (const [, , specifier = ''] of source.matchAll(importPattern)) {
    const target = importedFile(path, specifier, index);
    if (target !== undefined) add(target, distances.import);
  }
  // The sources of daemons and packages name files of nodes, not of the checkout.
  if (!readsCheckout(path)) return [...found].map(([to, distance]) => ({ to, distance }));
  const named = namedPaths(source);
  for (const name of named)
    for (const base of [dirname(path), '.'])
      for (const { to, distance } of edgesToPath(join(base, name).replace(/\/$/, ''), index))
        add(to, distance);
  for (const { to, distance } of edgesToPrograms(path, source, named, programs)) add(to, distance);
  return [...found].map(([to, distance]) => ({ to, distance }));
}

const isTestSide = (path: string) => path.startsWith('tests/') || path.startsWith('packages/testkit/');
const readsCheckout = (path: string) =>
  isTestSide(path) ||
  /^(tools|rootfs|packages\/build)\//.test(path) ||
  path.endsWith('.test.ts') ||
  path.includes('/testing/');

function importedFile(path: string, specifier: string, index: Index): string | undefined {
  if (!specifier.startsWith('.')) return index.packages.get(specifier);
  const target = join(dirname(path), specifier);
  return index.files.has(target) ? target : undefined;
}

/** Every path that the source writes in one literal, or as the words of one join(). */
function namedPaths(source: string): string[] {
  const literals = [...source.matchAll(literalPattern)].map(([, , text = '']) => text);
  const joined = [...source.matchAll(joinPattern)].map(([, words = '']) =>
    [...words.matchAll(literalPattern)].map(([, , text = '']) => text).join('/'),
  );
  // A single word is seldom the name of a folder.
  return [...new Set([...literals, ...joined])].filter((text) => /^[^\s]*[/.][^\s]*$/.test(text));
}

function edgesToPath(path: string, index: Index): Edge[] {
  if (index.files.has(path)) return [{ to: path, distance: distances.path }];
  if (tooLarge.has(path)) return [];
  if (!path.includes('*'))
    return (index.folders.get(path) ?? []).map((to) => ({ to, distance: distances.folder }));
  if (tooLarge.has(path.split('/', 1)[0] ?? '')) return [];
  return [...index.files]
    .filter((file) => matchesGlob(file, path))
    .map((to) => ({ to, distance: distances.pattern }));
}

const filesAt = (path: string, index: Index) =>
  index.files.has(path) ? [path] : (index.folders.get(path) ?? []);

/**
 * A test names the bundles that it starts: in the path of the bundle, or as a word for what starts it. A file that names the folder
 * of all bundles may start any of them.
 */
function edgesToPrograms(
  path: string,
  source: string,
  named: readonly string[],
  programs: readonly Program[],
): Edge[] {
  if (!isTestSide(path) && !path.endsWith('.test.ts')) return [];
  const started = new Set(named.flatMap((name) => /(?:^|\/)_out\/dist\/([a-z-]+)/.exec(name)?.[1] ?? []));
  const isAny = named.some((name) => /(?:^|\/)_out\/dist(?:\/?$|\/\$)/.test(name));
  return programs.flatMap(({ name }) => {
    const to = programNode(name);
    const isNamed = started.has(name) || (isTestSide(path) && source.includes(`'${name}'`));
    if (isNamed) return [{ to, distance: distances.namedProgram }];
    return isAny ? [{ to, distance: distances.everyProgram }] : [];
  });
}
