// Measures the upgrade of five nodes of processes by one command, beside five single `reboot --wait` of the same nodes in the same run, in
// turns. `make measure-upgrades`; the figures also go to _out/bench/upgrades.json. Exits with 1 when the limit is exceeded or a command fails.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ProcessCluster } from '../cluster/process/process-cluster.ts';
import { runOpened } from '../cluster/run-opened.ts';
import { awaitWell } from '../upgrade/await-well.ts';
import { openUpgradable } from '../upgrade/open-upgradable.ts';
import { median, medianRatio } from './median.ts';

const checkout = join(import.meta.dirname, '..', '..');
/** How much longer the upgrade of all nodes may take than their single reboots: it looks after each turn whether the cluster is well. */
const mostRatio = 1.5;
const shape = { controlPlanes: 3, workers: 2 };
const say = (line: string) => void process.stdout.write(`${line}\n`);
const seconds = (value: number) => `${value.toFixed(1)} s`;

const usage = `usage: upgrades.ts [--pairs N] [--out FILE]

  --pairs N    pairs of five reboots and an upgrade, of which the median ratio counts (default 3)
  --out FILE   the JSON goes there instead of _out/bench/upgrades.json
`;

function readOptions() {
  try {
    const { values } = parseArgs({ options: { pairs: { type: 'string' }, out: { type: 'string' } } });
    const pairs = Number(values.pairs || 3);
    if (!(Number.isInteger(pairs) && pairs > 0 && pairs < 90))
      throw new Error(`--pairs wants a number from 1 to 89, not "${values.pairs}"`);
    return { pairs, out: values.out ?? join(checkout, '_out', 'bench', 'upgrades.json') };
  } catch (error) {
    process.stderr.write(`upgrades: ${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

const options = readOptions();
/** The nodes run v1.14.0 at first, and an upgrade goes to a later version. */
const versionOf = (pair: number) => `v1.14.${pair + 1}`;
const hostOf = (pair: number) => `registry${pair}.test`;
const imageOf = (pair: number) => `${hostOf(pair)}/installer:${versionOf(pair)}`;

interface Subject extends AsyncDisposable {
  readonly cluster: ProcessCluster;
}

async function openSubject(): Promise<Subject> {
  await using scope = new AsyncDisposableStack();
  const artefacts = Object.fromEntries(
    Array.from({ length: options.pairs }, (_, pair) => [hostOf(pair), { version: versionOf(pair) }]),
  );
  const cluster = await openUpgradable(scope, shape, artefacts, { name: 'upgrades' });
  const opened = scope.move();
  return { cluster, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** @returns how long it took, in seconds. @throws Error when it fails */
async function timed(cluster: ProcessCluster, ...words: string[]): Promise<number> {
  const begun = performance.now();
  const { exitCode, stdout, stderr } = await cluster.talosctl(...words);
  if (exitCode !== 0) throw new Error(`${words.join(' ')} failed: ${stdout}${stderr}`);
  return (performance.now() - begun) / 1000;
}

async function rebootEach(cluster: ProcessCluster): Promise<number> {
  let sum = 0;
  for (const { name } of cluster.nodes) sum += await timed(cluster, '-n', name, 'reboot', '--wait');
  return sum;
}

/** Whether the limit was kept. */
async function measure({ pairs, out }: typeof options, { cluster }: Subject): Promise<boolean> {
  const reboots: number[] = [];
  const upgrades: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const image = imageOf(pair);
    await awaitWell(cluster, image);
    reboots.push(await rebootEach(cluster));
    await awaitWell(cluster, image);
    upgrades.push(await timed(cluster, 'upgrade', '--all', '--image', image, '--yes'));
    say(
      `pair ${pair + 1}: five reboots ${seconds(reboots.at(-1) ?? 0)}, upgrade --all ${seconds(upgrades.at(-1) ?? 0)}`,
    );
  }
  const ratio = medianRatio(upgrades, reboots);
  const verdict = ratio <= mostRatio ? 'kept' : 'NOT KEPT';
  say(
    `five nodes: median ${seconds(median(reboots))} for reboots, ${seconds(median(upgrades))} for the upgrade`,
  );
  say(`upgrade against reboots, median of the pairs: ${ratio.toFixed(2)}, at most ${mostRatio}: ${verdict}`);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, `${JSON.stringify({ reboots, upgrades, ratio }, null, 2)}\n`);
  return ratio <= mostRatio;
}

await runOpened({ open: openSubject, run: (subject) => measure(options, subject) });
