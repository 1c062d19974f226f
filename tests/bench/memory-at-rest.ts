// Shows what the memory of idle daemons consists of, beside a bare Node.js and one that has loaded `node:tls`.
// `node tests/bench/memory-at-rest.ts`, two minutes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openProcessCluster, type ProcessCluster } from '../cluster/process/process-cluster.ts';
import { runOpened } from '../cluster/run-opened.ts';

/** How long a daemon rests before it is measured, in milliseconds: as in budgets.ts. */
const restMs = 75_000;
const programRestMs = 3000;

/** What a mapping belongs to, by its path and permissions. The first match counts. */
const parts: readonly (readonly [part: string, path: RegExp, permissions: RegExp])[] = [
  ['code of the Node.js binary', /\/node$/, /x/],
  ['constants of the Node.js binary', /\/node$/, /^r--/],
  ['data of the Node.js binary', /\/node$/, /w/],
  ['C libraries', /\.so/, /./],
  ['heap of the C library', /^\[heap\]$/, /./],
  ['stacks', /^\[stack/, /./],
  ['heap of V8, buffers, and memory of threads', /^$/, /./],
  ['other', /./, /./],
];

/** Resident MB (1e6 bytes) of each part, from /proc/PID/smaps. */
function partsOf(pid: number): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  let part = 'other';
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const mapping = /^[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ \S+ *(.*)$/.exec(line);
    if (mapping !== null) {
      const [, permissions = '', path = ''] = mapping;
      part = parts.find(([, ofPath, of]) => ofPath.test(path) && of.test(permissions))?.[0] ?? 'other';
    }
    const resident = /^Rss: +(\d+) kB/.exec(line)?.[1];
    if (resident !== undefined) sums.set(part, (sums.get(part) ?? 0) + (Number(resident) * 1024) / 1e6);
  }
  return sums;
}

/** Starts Node.js with a program that does nothing more, and measures it. */
async function measureProgram(
  flags: readonly string[],
  program: string,
): Promise<ReadonlyMap<string, number>> {
  const child: ChildProcess = spawn(process.execPath, [
    ...flags,
    '-e',
    `${program};setInterval(() => {}, 1e6)`,
  ]);
  try {
    await sleep(programRestMs);
    return partsOf(child.pid ?? 0);
  } finally {
    child.kill();
    await once(child, 'close');
  }
}

function print(columns: ReadonlyMap<string, ReadonlyMap<string, number>>): void {
  const names = [...columns.keys()];
  const row = (what: string, cells: readonly string[]) =>
    process.stdout.write(`| ${[what, ...cells].join(' | ')} |\n`);
  row('MB resident', names);
  row(
    '---',
    names.map(() => '---'),
  );
  for (const [part] of parts) {
    const cells = names.map((name) => (columns.get(name)?.get(part) ?? 0).toFixed(1));
    if (cells.some((cell) => cell !== '0.0')) row(part, cells);
  }
  const sum = (of: ReadonlyMap<string, number> | undefined) =>
    [...(of?.values() ?? [])].reduce((a, b) => a + b, 0);
  row(
    'together',
    names.map((name) => sum(columns.get(name)).toFixed(1)),
  );
}

const columns = new Map<string, ReadonlyMap<string, number>>();

async function measureDaemons(cluster: ProcessCluster): Promise<boolean> {
  await sleep(restMs);
  for (const daemon of ['apid', 'trustd', 'machined'] as const) {
    const pid = await cluster.nodes[0]?.instanceOf(daemon);
    if (typeof pid !== 'number') throw new Error(`no ${daemon} runs`);
    columns.set(daemon, partsOf(pid));
  }
  print(columns);
  return true;
}

await runOpened({
  async open() {
    columns.set('bare Node.js', await measureProgram([], '0'));
    columns.set('node:tls', await measureProgram([], "require('node:tls')"));
    columns.set(
      'node:tls without authorities',
      await measureProgram(['--use-openssl-ca'], "require('node:tls')"),
    );
    return await openProcessCluster({ controlPlanes: 1, workers: 0 });
  },
  run: measureDaemons,
});
