// Measures reboots of nodes of processes: pairs in turns, with and without clients that watch the node, and then `reboot --wait`
// followed at once by `version`, many times, with upstream's released client and with ours. `make measure-reboots`; the figures also
// go to _out/bench/reboots.json. Exits with 1 when a limit is exceeded or a command fails.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { eventually } from '@nodewright/testkit';
import { openProcessCluster, type ProcessCluster } from '../cluster/process/process-cluster.ts';
import { runOpened } from '../cluster/run-opened.ts';
import { startTalosctl } from '../cluster/run-talosctl.ts';
import { runClient } from '../upstream/run-client.ts';
import { median, medianRatio } from './median.ts';

const checkout = join(import.meta.dirname, '..', '..');
/** A budget of docs/measurements: how much longer a reboot takes while clients watch the node. */
const mostRatio = 1.3;
/** On a busy machine a control plane needs two minutes until its etcd serves. */
const rebootTimeout = '5m';
const rebootTimeoutMs = 330_000;
const versionTimeoutMs = 30_000;

/** What watches a node meanwhile: a table, a log, and the streams that a page of `ui` has. */
const watches: readonly (readonly string[])[] = [
  ['get', 'members', '--watch'],
  ['logs', 'machined', '--follow'],
  ['events', '--tail', '1'],
  ['get', 'services', '--watch'],
  ['dmesg', '--follow'],
];

const usage = `usage: reboots.ts [--pairs N] [--times N] [--out FILE]

  --pairs N    pairs of reboots, with and without watchers, of which the median ratio counts (default 5)
  --times N    how often each client reboots a node and asks it for its version (default 50)
  --out FILE   the JSON goes there instead of _out/bench/reboots.json
`;

function readOptions() {
  try {
    const { values } = parseArgs({
      options: { pairs: { type: 'string' }, times: { type: 'string' }, out: { type: 'string' } },
    });
    const count = (name: 'pairs' | 'times', usual: number) => {
      const number = Number(values[name] || usual);
      if (!(Number.isInteger(number) && number >= 0))
        throw new Error(`--${name} wants a number, not "${values[name]}"`);
      return number;
    };
    const out = values.out ?? join(checkout, '_out', 'bench', 'reboots.json');
    return { pairs: count('pairs', 5), times: count('times', 50), out };
  } catch (error) {
    process.stderr.write(`reboots: ${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

type Options = ReturnType<typeof readOptions>;

interface Ran {
  readonly exitCode: number | null;
  readonly output: string;
  readonly seconds: number;
}

/** A command line of somebody, which runs to its end. */
type Client = (timeoutMs: number, ...words: string[]) => Promise<Ran>;

async function timed(
  run: Promise<{ exitCode: number | null; stdout: string; stderr: string }>,
): Promise<Ran> {
  const begun = performance.now();
  const { exitCode, stdout, stderr } = await run;
  return { exitCode, output: stdout + stderr, seconds: (performance.now() - begun) / 1000 };
}

const say = (line: string) => void process.stdout.write(`${line}\n`);
const seconds = (value: number) => `${value.toFixed(1)} s`;

/** Starts the watches of a node. Resolves when each has received something. */
async function startWatches(cluster: ProcessCluster, node: string): Promise<AsyncDisposable> {
  await using scope = new AsyncDisposableStack();
  const started = watches.map((words) => {
    const child = scope.adopt(startTalosctl([...words, '-n', node], { home: cluster.home }), end);
    const watch = { child, words, received: 0, errors: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      watch.received += chunk.length;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      watch.errors = (watch.errors + chunk.toString()).slice(-1000);
    });
    return watch;
  });
  await eventually(() => started.every(({ received }) => received > 0), {
    what: 'watches that have received something',
    explain: () => started.map(({ words, errors }) => `${words.join(' ')}: ${errors}`).join('\n'),
  });
  const ended = started.find(({ child }) => child.exitCode !== null);
  if (ended !== undefined) throw new Error(`${ended.words.join(' ')} has ended: ${ended.errors}`);
  return scope.move();
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function rebootFor(client: Client, node: string): Promise<number> {
  const ran = await client(rebootTimeoutMs, '-n', node, 'reboot', '--wait', '--timeout', rebootTimeout);
  if (ran.exitCode !== 0) throw new Error(`the reboot of ${node} failed: ${ran.output}`);
  return ran.seconds;
}

/** The times of the reboots of each pair, in seconds. The order within a pair changes with every turn. */
async function measurePairs(cluster: ProcessCluster, client: Client, pairs: number) {
  const node = cluster.workers[0]?.name ?? '';
  const alone: number[] = [];
  const watched: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const isWatched of pair % 2 === 0 ? [false, true] : [true, false]) {
      if (!isWatched) {
        alone.push(await rebootFor(client, node));
        continue;
      }
      await using _ = await startWatches(cluster, node);
      watched.push(await rebootFor(client, node));
    }
    say(`pair ${pair + 1}: ${seconds(alone.at(-1) ?? 0)} alone, ${seconds(watched.at(-1) ?? 0)} watched`);
  }
  return { node, alone, watched, ratio: medianRatio(watched, alone) };
}

interface Failure {
  /** The client and the command. */
  readonly name: string;
  readonly node: string;
  readonly output: string;
}

/** Reboots the nodes in turns, and asks each for its version as soon as the reboot has ended. */
async function rebootOften(name: string, nodes: readonly string[], client: Client, times: number) {
  const durations: number[] = [];
  const failures: Failure[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    const node = nodes[turn % nodes.length] ?? '';
    const run = async (timeoutMs: number, ...words: string[]) => {
      const { exitCode, output, seconds } = await client(timeoutMs, '-n', node, ...words);
      if (exitCode !== 0) failures.push({ name: `${name}: ${words.slice(0, 2).join(' ')}`, node, output });
      return seconds;
    };
    durations.push(await run(rebootTimeoutMs, 'reboot', '--wait', '--timeout', rebootTimeout));
    await run(versionTimeoutMs, 'version');
  }
  return { name, times, median: median(durations), longest: Math.max(...durations), failures };
}

interface Subject extends AsyncDisposable {
  readonly cluster: ProcessCluster;
  /** For the files of the clients. */
  readonly folder: string;
}

async function openSubject(): Promise<Subject> {
  await using scope = new AsyncDisposableStack();
  const folder = scope.adopt(await mkdtemp(join(tmpdir(), 'reboots-')), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  const shape = { controlPlanes: 3, workers: 1 };
  const cluster = scope.use(await openProcessCluster(shape, { name: 'reboots', etcd: true }));
  const opened = scope.move();
  return { cluster, folder, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Whether no command failed, and the limit was kept. */
async function measure({ pairs, times, out }: Options, { cluster, folder }: Subject): Promise<boolean> {
  const ours: Client = (timeoutMs, ...words) =>
    timed(collect(startTalosctl(words, { home: cluster.home }), timeoutMs));
  const talosconfig = join(folder, 'talosconfig');
  const { endpoints, ca, crt, key } = await cluster.context('os:admin');
  const context = { endpoints, ca, crt, key: key?.reveal() };
  // JSON is a subset of YAML.
  const contexts = { context: cluster.name, contexts: { [cluster.name]: context } };
  await writeFile(talosconfig, JSON.stringify(contexts), { mode: 0o600 });
  const released: Client = (timeoutMs, ...words) =>
    timed(runClient(words, { talosconfig, folder, timeoutMs }));

  const measured = pairs === 0 ? undefined : await measurePairs(cluster, ours, pairs);
  if (measured !== undefined) {
    const { alone, watched, ratio } = measured;
    const verdict = ratio <= mostRatio ? 'kept' : 'NOT KEPT';
    say(`reboot of a worker: median ${seconds(median(alone))} alone, ${seconds(median(watched))} watched`);
    say(`watched against alone, median of the pairs: ${ratio.toFixed(2)}, at most ${mostRatio}: ${verdict}`);
  }
  const nodes = cluster.nodes.map(({ name }) => name);
  const often = [];
  for (const [name, client] of Object.entries({ 'released client': released, 'our client': ours })) {
    if (times === 0) break;
    const result = await rebootOften(name, nodes, client, times);
    say(
      `${name}: ${times} times reboot --wait && version: median ${seconds(result.median)}, longest ${seconds(result.longest)}, ${result.failures.length} failures`,
    );
    often.push(result);
  }
  const failures = often.flatMap((each) => each.failures);
  for (const [name, same = []] of Object.entries(Object.groupBy(failures, ({ name }) => name))) {
    const { node, output } = same[0] ?? { node: '', output: '' };
    say(`failed ${same.length} of ${times} times: ${name}; first on ${node}, after: ${lastLine(output)}`);
  }
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, `${JSON.stringify({ pairs: measured, often }, null, 2)}\n`);
  return failures.length === 0 && (measured === undefined || measured.ratio <= mostRatio);
}

/** Clients write what ended them last. */
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';

/** Runs a child to its end, or kills it. */
async function collect(child: ReturnType<typeof startTalosctl>, timeoutMs: number) {
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { exitCode, ...output };
}

const options = readOptions();
await runOpened({ open: openSubject, run: (subject) => measure(options, subject) });
