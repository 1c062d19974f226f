// Measures the budgets of docs/measurements/budgets.md on a cluster of its own and prints them next to the promised values. `make
// measure`; JSON goes to _out/bench/budgets.json. Exits with 1 when a budget is exceeded. Times of our
// programs are ratios to a bare `node -e 0` in the same run, so that they hold on any processor; the
// milliseconds are printed too. With RECORD=1 the figures replace those of the page.
import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { daemonV8Flags } from '@nodewright/build/bundles';
import { nodePaths } from '@nodewright/contract';
import { daemonEnvironment } from '../../services/machined/src/daemons/domain/daemon-command.ts';
import { upstreamClientPath } from '../../tools/upstream-client/ensure-client.ts';
import { startUpstream } from '../contract/registryd/upstream.ts';
import { measureMemoryCommand } from './command-pairs.ts';
import { copyRuntime } from './copy-runtime.ts';
import { median } from './median.ts';
import { measureAlone } from './node-alone.ts';
import { findProcesses, readProcessMemory } from './process-memory.ts';
import { type BudgetFigure, recordRun, wantsRecord } from './recorded-figures.ts';
import { timeToListen, timeToRun } from './time-to-listen.ts';

const checkout = join(import.meta.dirname, '..', '..');
const dist = join(checkout, '_out', 'dist');
const daemons = ['machined', 'apid', 'trustd', 'udevd-bridge'] as const;
const rounds = 9;
/**
 * How long to wait before the memory of a daemon counts as idle, in milliseconds. A daemon frees the memory of its start after 40 s, when it
 * was calm for 20 s.
 */
const settleMs = 75_000;
const afterPullMs = 30_000;

/** The image that registryd pulls. */
const pulledLayers = 4;
const pulledLayerBytes = 50_000_000;

/** Ratios of a connected command to the same of the released client. The goal is 2.0 and 2.2. */
const connectedBudgets = { wall: 5, cpu: 5 };

const bareNode = [process.execPath, '-e', '0'] as const;

interface Row {
  readonly id: BudgetFigure;
  readonly what: string;
  readonly measured: number;
  readonly budget: number;
  readonly unit: 'MB' | 's' | 'x';
  /** The time that a ratio refers to, in milliseconds. */
  readonly ms?: number;
  /** What the figure is the median of, if it is one; of a ratio in milliseconds. */
  readonly runs?: readonly number[];
}

/** Measures a program and a bare Node alternately; returns the ratio of the medians. */
async function againstBareNode(
  { id, what }: Pick<Row, 'id' | 'what'>,
  budget: number,
  measure: (round: number) => Promise<number> | number,
): Promise<Row> {
  const times = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    times.bare.push(await timeToRun(bareNode));
    times.ours.push(await measure(round));
  }
  const ms = median(times.ours);
  return { id, what, measured: ms / median(times.bare), budget, unit: 'x', ms, runs: times.ours };
}

const workspace = mkdtempSync(join(tmpdir(), 'budgets-'));
const clusterName = 'budgets';
const state = join(workspace, 'clusters');
const talosconfig = join(workspace, 'talosconfig');

const onNode = (node: string, args: readonly string[]) => [
  ...['--talosconfig', talosconfig, '-n', node],
  ...args,
];
const talosctlOn = (node: string, ...args: string[]) => talosctl(...onNode(node, args));
/** Runs beside this program, which meanwhile answers as a registry. */
const talosctlBeside = (node: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [join(dist, 'talosctl', 'talosctl.cjs'), ...onNode(node, args)], {
    env: { ...process.env, TALOS_HOME: workspace },
  });

function talosctl(...args: string[]): string {
  return execFileSync(process.execPath, [join(dist, 'talosctl', 'talosctl.cjs'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, TALOS_HOME: workspace },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Starts a second instance of a daemon of the first node, with the same state and an address of its own. */
async function measureStart(daemon: 'apid' | 'trustd'): Promise<Row> {
  // Not ports that the kernel gives to clients: a client that tries such a port of its own machine may be connected to itself.
  const [host, port] = ['127.0.0.1', daemon === 'apid' ? 20970 : 20971] as const;
  await using scope = new AsyncDisposableStack();
  const root = join(state, clusterName, 'nodes', 'node01');
  const listenAddress = `${host}:${port}`;
  const flags = ['--health-socket', join(workspace, `${daemon}-health.sock`)];
  if (daemon === 'trustd') {
    const runtimeSocket = join(root, nodePaths.trustdRuntimeSocket);
    flags.push('--runtime-socket', runtimeSocket, '--listen-address', listenAddress);
  } else {
    const runtimeSocket = join(workspace, 'apid-runtime.sock');
    scope.use(await copyRuntime(join(root, nodePaths.apidRuntimeSocket), runtimeSocket, { listenAddress }));
    flags.push('--runtime-socket', runtimeSocket, '--machined-socket', join(workspace, 'none.sock'));
  }
  // As machined starts it. The permission model would need further folders, and takes no time that could be measured.
  const nodeFlags = [...daemonV8Flags[daemon], '--use-openssl-ca'];
  const command = [process.execPath, ...nodeFlags, join(dist, daemon, `${daemon}.cjs`), ...flags];
  const environment = daemonEnvironment(daemon, process.env, undefined);
  const row = { id: `${daemon}-start`, what: `${daemon}: start to listening, against bare node` } as const;
  const budget = daemon === 'apid' ? 2 : 3;
  // Await here, because the copied state is disposed when this function returns.
  return await againstBareNode(row, budget, () => timeToListen(command, { host, port }, environment));
}

/** machined has the state of the node, and speaks to etcd or to those that have one. */
function residentOf(daemon: (typeof daemons)[number]): Pick<Row, 'budget' | 'unit'> {
  const budgets = { machined: 68, apid: 58, trustd: 58, 'udevd-bridge': 58 };
  return { budget: budgets[daemon], unit: 'MB' };
}

async function measureMemory(): Promise<Row[]> {
  await sleep(settleMs);
  const root = join(state, clusterName, 'nodes', 'node01');
  const idle = daemons.map((daemon) => {
    const [found] = findProcesses(`${daemon}.cjs`, root);
    if (found === undefined) throw new Error(`no ${daemon} runs below ${root}`);
    return { daemon, ...readProcessMemory(found.pid) };
  });
  const worker = join(state, clusterName, 'nodes', 'node04');
  const [onWorker] = findProcesses('machined.cjs', worker);
  if (onWorker === undefined) throw new Error(`no machined runs below ${worker}`);
  const rows: Row[] = [
    ...idle.map(({ daemon, rss }) => ({
      id: `${daemon}-idle` as const,
      what: `${daemon}: idle, resident`,
      measured: rss,
      ...residentOf(daemon),
    })),
    {
      id: 'machined-worker-idle',
      what: 'machined of a worker: idle, resident',
      measured: readProcessMemory(onWorker.pid).rss,
      ...residentOf('machined'),
    },
  ];
  return rows;
}

/** A control plane with an image cache, so that all five daemons run. Prints what each has. */
function proportionalOfAll(): Row {
  const root = join(state, clusterName, 'nodes', 'node01');
  const parts = [...daemons, 'registryd' as const].map((daemon) => {
    const [found] = findProcesses(`${daemon}.cjs`, root);
    if (found === undefined) throw new Error(`no ${daemon} runs below ${root}`);
    return { daemon, mb: readProcessMemory(found.pid).pss };
  });
  const [etcd] = findProcesses('etcd', root).filter(({ command }) => !command.includes('.cjs'));
  const beside =
    etcd === undefined ? [] : [{ daemon: 'beside them etcd', mb: readProcessMemory(etcd.pid).pss }];
  const text = [...parts, ...beside].map(({ daemon, mb }) => `${daemon} ${mb.toFixed(1)}`).join(', ');
  process.stdout.write(`proportional MB of a control plane: ${text}\n`);
  return {
    id: 'daemons-in-cluster',
    ...{ what: 'the five daemons of a node in a cluster of four: idle, proportional' },
    ...{ measured: parts.reduce((sum, { mb }) => sum + mb, 0), budget: 120, unit: 'MB' },
  };
}

/** Enables the image cache of a control plane and of the worker, and pulls an image of a registry of this program through the latter. */
async function measureRegistryd(): Promise<Row[]> {
  await using upstream = await startUpstream();
  const layers = Array.from({ length: pulledLayers }, () => randomBytes(pulledLayerBytes));
  upstream.addImage('team/app', 'v1', layers);
  const node = 'node04';
  const registry = 'registry.example';
  for (const document of [
    { kind: 'RegistryMirrorConfig', name: registry, endpoints: [{ url: upstream.url }], skipFallback: true },
    { kind: 'ImageCacheConfig', local: { enabled: true } },
  ]) {
    const patch = JSON.stringify({ apiVersion: 'v1alpha1', ...document });
    for (const each of ['node01', node])
      talosctlOn(each, 'patch', 'mc', '--mode', 'no-reboot', '--patch', patch);
  }
  const residentMb = () => {
    const [found] = findProcesses('registryd.cjs', join(state, clusterName, 'nodes', node));
    if (found === undefined) throw new Error(`no registryd runs on ${node}`);
    return readProcessMemory(found.pid).rss;
  };
  await sleep(settleMs);
  const idle = residentMb();
  const proportional = proportionalOfAll();
  await talosctlBeside(node, 'registry', 'pull', `${registry}/team/app:v1`);
  await sleep(afterPullMs);
  return [
    proportional,
    { id: 'registryd-idle', what: 'registryd: idle, resident', measured: idle, budget: 58, unit: 'MB' },
    {
      id: 'registryd-after-pull',
      what: 'registryd: 30 s after a pull of 200 MB, resident',
      measured: residentMb(),
      budget: 105,
      unit: 'MB',
    },
  ];
}

async function measureCommandLine(): Promise<Row> {
  const command = [join(checkout, 'bin', 'talosctl'), 'version', '--client'];
  return againstBareNode(
    { id: 'client-version', what: 'talosctl version --client, against bare node' },
    1.6,
    () => timeToRun(command),
  );
}

/** A command that connects and makes one call, against the same of upstream's released client, if that is built. */
function measureConnectedCommand(): Row[] {
  if (!existsSync(upstreamClientPath(checkout))) {
    process.stdout.write(
      'talosctl memory, against the released client: left out, make upstream-client builds it\n',
    );
    return [];
  }
  const { ratio, ours, other, runs } = measureMemoryCommand(talosconfig, 'node01');
  const what = (figure: string, ms: number) =>
    `talosctl memory: ${figure}, against the released client (${ms.toFixed(0)} ms)`;
  return [
    {
      id: 'client-memory-wall',
      ...{ what: what('wall time', other.wallMs), measured: ratio.wallMs, unit: 'x' },
      ...{ budget: connectedBudgets.wall, ms: ours.wallMs, runs: runs.wallMs },
    },
    {
      id: 'client-memory-cpu',
      ...{ what: what('processor time', other.cpuMs), measured: ratio.cpuMs, unit: 'x' },
      ...{ budget: connectedBudgets.cpu, ms: ours.cpuMs, runs: runs.cpuMs },
    },
  ];
}

function print(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ what }) => what.length));
  for (const { what, measured, budget, unit, ms } of rows) {
    const time = ms === undefined ? '' : `   (${ms.toFixed(0)} ms)`;
    const mark = `${measured <= budget ? 'kept' : 'NOT KEPT'}${time}`;
    process.stdout.write(
      `${what.padEnd(width)}   ${measured.toFixed(1).padStart(7)} ${unit.padEnd(2)}   at most ${budget} ${unit.padEnd(2)}   ${mark}\n`,
    );
  }
}

const records = wantsRecord();
const rows: Row[] = [];
try {
  const created = talosctl(
    ...['cluster', 'create', 'process', '--name', clusterName, '--state', state, '-o', 'json'],
    ...['--talosconfig-destination', talosconfig, '--controlplanes', '3', '--workers', '1'],
  );
  const { seconds, etcd } = JSON.parse(created) as { seconds: number; etcd: { seconds: number } };
  rows.push(
    {
      // The cluster is created once, however often a bare Node is started beside it.
      ...(await againstBareNode(
        {
          id: 'cluster-create',
          what: 'cluster create: command to four nodes answering, against bare node',
        },
        175,
        () => seconds * 1000,
      )),
      runs: [seconds * 1000],
    },
    {
      id: 'cluster-votes',
      what: 'cluster create: command to three voters of etcd',
      measured: etcd.seconds,
      budget: 15,
      unit: 's',
    },
  );
  rows.push(
    ...(await measureMemory()),
    ...(await measureRegistryd()),
    await measureStart('apid'),
    await measureStart('trustd'),
    await measureCommandLine(),
    ...measureConnectedCommand(),
  );
} finally {
  talosctl('cluster', 'destroy', '--name', clusterName, '--state', state, '--force');
  rmSync(workspace, { recursive: true, force: true });
}
const { daemonsMb, text } = await measureAlone(checkout);
process.stdout.write(`proportional MB of a control plane alone, beside its supervisor: ${text}\n`);
rows.push({
  id: 'daemons-alone',
  ...{ what: 'the five daemons of a node alone: idle, proportional', measured: daemonsMb },
  ...{ budget: 170, unit: 'MB' },
});
print(rows);
mkdirSync(join(checkout, '_out', 'bench'), { recursive: true });
writeFileSync(join(checkout, '_out', 'bench', 'budgets.json'), `${JSON.stringify(rows, null, 2)}\n`);
if (records) {
  const figures = rows.map(({ id, measured, unit, ms, runs = [measured] }) =>
    ms === undefined
      ? { id, median: measured, unit, runs }
      : { id, median: ms, unit: 'ms', ratio: measured, runs },
  );
  recordRun('budgets', 'make measure', figures);
}
process.exitCode = rows.every(({ measured, budget }) => measured <= budget) ? 0 : 1;
