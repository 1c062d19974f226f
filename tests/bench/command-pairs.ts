// A command of our talosctl beside the same of another client, in turns. `node tests/bench/command-pairs.ts TALOSCONFIG NODE`
// compares `memory` with that of the released client, on a cluster that runs already.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { upstreamClientPath } from '../../tools/upstream-client/ensure-client.ts';
import { childrenCpuMs } from './children-cpu.ts';
import { median, medianRatio } from './median.ts';

const checkout = join(import.meta.dirname, '..', '..');
/** An odd number, so that the median is one of the pairs. */
const pairs = 21;

export interface Cost {
  readonly wallMs: number;
  /** User and system. */
  readonly cpuMs: number;
}

export interface PairedCost {
  /** The median of the ratios of ours to the other, pair by pair. */
  readonly ratio: Cost;
  /** Medians. */
  readonly ours: Cost;
  readonly other: Cost;
  /** Of each pair, of ours. */
  readonly runs: { readonly wallMs: readonly number[]; readonly cpuMs: readonly number[] };
}

/** The cost of one run of a command. @throws Error when it fails */
export function costOf([program = '', ...args]: readonly string[]): Cost {
  const cpuBefore = childrenCpuMs();
  const start = performance.now();
  const { status, stderr } = spawnSync(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  const wallMs = performance.now() - start;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return { wallMs, cpuMs: childrenCpuMs() - cpuBefore };
}

/** Runs both commands in pairs, each first in every other pair, after one run of each that does not count. */
export function measurePairs(ours: readonly string[], other: readonly string[], count = pairs): PairedCost {
  const costs = { ours: [] as Cost[], other: [] as Cost[] };
  for (const command of [ours, other]) costOf(command);
  for (let pair = 0; pair < count; pair += 1) {
    const order = pair % 2 === 0 ? (['ours', 'other'] as const) : (['other', 'ours'] as const);
    for (const which of order) costs[which].push(costOf(which === 'ours' ? ours : other));
  }
  const all = (which: 'ours' | 'other', key: keyof Cost) => costs[which].map((cost) => cost[key]);
  const ratioOf = (key: keyof Cost) => medianRatio(all('ours', key), all('other', key));
  const medians = (which: 'ours' | 'other') => ({
    wallMs: median(all(which, 'wallMs')),
    cpuMs: median(all(which, 'cpuMs')),
  });
  return {
    ratio: { wallMs: ratioOf('wallMs'), cpuMs: ratioOf('cpuMs') },
    ours: medians('ours'),
    other: medians('other'),
    runs: { wallMs: all('ours', 'wallMs'), cpuMs: all('ours', 'cpuMs') },
  };
}

/** `memory` of one node: a command that connects, makes one call and prints a table. */
export function measureMemoryCommand(talosconfig: string, node: string): PairedCost {
  const words = ['--talosconfig', talosconfig, '-n', node, 'memory'];
  return measurePairs(
    [join(checkout, 'bin', 'talosctl'), ...words],
    [upstreamClientPath(checkout), ...words],
  );
}

if (import.meta.main) {
  const [talosconfig, node] = process.argv.slice(2);
  if (talosconfig === undefined || node === undefined)
    throw new Error('usage: command-pairs.ts TALOSCONFIG NODE');
  process.stdout.write(`${JSON.stringify(measureMemoryCommand(talosconfig, node), null, 2)}\n`);
}
