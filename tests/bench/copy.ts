// Compares `talosctl copy` with `tar | gzip` of the same files in the same run: a hundred thousand small
// files and one sparse file, from a real node through its apid. `make bench-copy`; the figures also go to
// _out/bench/copy.json. Exits with 1 when a copy differs from its original, or a limit of docs/other-limits.md is
// broken.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { openCluster } from './cluster.ts';
import { makeSmallFiles, makeSparseFile, type TreeSizes } from './copy/make-trees.ts';
import { runPipeline } from './copy/run-pipeline.ts';
import { readMachineFacts } from './machine-facts.ts';
import { median } from './median.ts';
import { readPeakMemory, readProcessMemory } from './process-memory.ts';
import { renderTable } from './report/render-table.ts';

const checkout = join(import.meta.dirname, '..', '..');
/** Limits of docs/other-limits.md. */
const leastSpeed = 0.5;
const mostMemory = 100 * 1.048576;

interface CopyResult {
  readonly what: string;
  readonly archiveBytes: number;
  /** Seconds, the median of the rounds. */
  readonly tarGzip: number;
  readonly copy: number;
  /** Speed of the copy relative to tar and gzip. */
  readonly speed: number;
  /** Highest resident memory of machined so far, in MB. */
  readonly peakMemory: number;
}

const usage = `usage: copy.ts [--rounds N] [--quick] [--out FILE]

  --rounds N   measurements of each, of which the median counts (default 3)
  --quick      once, with a twentieth of the files: shows that it works, not how fast it is
  --out FILE   the JSON goes there instead of _out/bench/copy.json
`;

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: 'string' },
        quick: { type: 'boolean', default: false },
        out: { type: 'string' },
      },
    });
    const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
    if (!(Number.isInteger(rounds) && rounds > 0))
      throw new Error(`--rounds wants a number, not "${values.rounds}"`);
    const sizes: TreeSizes = values.quick
      ? { files: 5000, sparseBytes: 2 ** 26 }
      : { files: 100_000, sparseBytes: 2 ** 30 };
    return {
      rounds,
      sizes,
      isQuick: values.quick,
      out: values.out ?? join(checkout, '_out', 'bench', 'copy.json'),
    };
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

const options = readOptions();
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const progress = (text: string) => process.stderr.write(`${text}\n`);

async function main(): Promise<boolean> {
  await using scope = new AsyncDisposableStack();
  const workspace = mkdtempSync(join(tmpdir(), 'bench-'));
  scope.defer(() => rmSync(workspace, { recursive: true, force: true }));
  const dist = join(checkout, '_out', 'dist');
  const machine = readMachineFacts(checkout, dist);
  progress('a node of real daemons, and its files');
  const cluster = scope.use(
    await openCluster({ distFolder: dist, workspace, controlPlanes: 1, workers: 0, signal: stop.signal }),
  );
  const [node] = cluster.nodes;
  if (node === undefined) throw new Error('the cluster has no node');
  const smallFiles = join(node.root, 'bench', 'small');
  makeSmallFiles(smallFiles, options.sizes);
  const sparseFolder = join(node.root, 'bench', 'sparse');
  makeSparseFile(sparseFolder, options.sizes);

  const talosctl = [process.execPath, join(cluster.distFolder, 'talosctl', 'talosctl.cjs')];
  const env = { PATH: process.env.PATH, HOME: workspace, TALOSCONFIG: join(workspace, 'talosconfig') };
  const archives = { tar: join(workspace, 'tar.tgz'), copy: join(workspace, 'copy.tgz') };

  const measure = async (what: string, folder: string, path: string): Promise<CopyResult> => {
    const times = { tarGzip: [] as number[], copy: [] as number[] };
    // Fill the page cache, so that both have the same conditions.
    await runPipeline('tar -C "$1" -cf - . | wc -c', [folder]);
    for (let round = 1; round <= options.rounds; round += 1) {
      stop.signal.throwIfAborted();
      progress(`${what}, round ${round} of ${options.rounds}`);
      times.tarGzip.push(await runPipeline('tar -C "$1" -cf - . | gzip > "$2"', [folder, archives.tar]));
      const words = [...talosctl, node.name, path, archives.copy];
      times.copy.push(await runPipeline('"$1" "$2" -n "$3" copy "$4" - > "$5"', words, env));
      // Compares content, modes, owners, times and links of every file with a foreign program.
      await runPipeline('gzip -dc "$1" | tar -d -C "$2" -f -', [archives.copy, folder]);
      await runPipeline(
        'test "$(gzip -dc "$1" | tar -tf - | sed "s#^\\./##" | sort | sha256sum)" = "$(cd "$2" && find . -mindepth 1 \\( -type d -printf "%P/\\n" -o -printf "%P\\n" \\) | sort | sha256sum)"',
        [archives.copy, folder],
      );
    }
    const [tarGzip, copy] = [median(times.tarGzip), median(times.copy)];
    const { size } = statSync(archives.copy);
    const peakMemory = readPeakMemory(node.pids.machined);
    return { what, archiveBytes: size, tarGzip, copy, speed: tarGzip / copy, peakMemory };
  };

  const atRest = readProcessMemory(node.pids.machined).rss;
  const results = [
    await measure(`${options.sizes.files} small files`, smallFiles, '/bench/small'),
    await measure(
      `one sparse file of ${options.sizes.sparseBytes / 2 ** 20} MiB`,
      sparseFolder,
      '/bench/sparse',
    ),
  ];
  process.stdout.write(render(results, atRest));
  mkdirSync(dirname(options.out), { recursive: true });
  const figures = { takenAt: new Date().toISOString(), machine, rounds: options.rounds, atRest, results };
  writeFileSync(options.out, `${JSON.stringify(figures, null, 2)}\n`);
  if (options.isQuick) return true;
  return results.every(({ speed, peakMemory }) => speed >= leastSpeed && peakMemory < mostMemory);
}

function render(results: readonly CopyResult[], atRest: number): string {
  const rows = results.map(({ what, archiveBytes, tarGzip, copy, speed, peakMemory }) => [
    what,
    (archiveBytes / 1e6).toFixed(1),
    tarGzip.toFixed(2),
    copy.toFixed(2),
    speed.toFixed(2),
    peakMemory.toFixed(0),
  ]);
  const heads = [
    '',
    'archive\nMB',
    'tar | gzip\ns',
    'talosctl copy\ns',
    'speed\nof the copy',
    'machined\npeak MB',
  ];
  return `${renderTable({ heads, rows })}
machined at rest: ${atRest.toFixed(0)} MB. Promised: at least ${leastSpeed} of the speed, less than ${mostMemory.toFixed(0)} MB (100 MiB).
Every copy had the names, content, modes, owners, times and links of its original.
`;
}

try {
  const isKept = await main();
  if (!isKept) process.stderr.write('a promise was not kept\n');
  process.exitCode = isKept ? 0 : 1;
} catch (error) {
  process.stderr.write(`bench: ${stop.signal.aborted ? 'stopped' : (error as Error).message}\n`);
  process.exitCode = 1;
}
