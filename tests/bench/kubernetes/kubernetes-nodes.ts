// Measures a cluster of 3 control planes and 1 worker with Kubernetes that it makes of containers and removes: the seconds of each step until
// the nodes are Ready, the memory of each program, and the disk of each node. `make measure-kubernetes`; JSON goes to _out/bench/kubernetes.json.
// With CLUSTER= it measures the memory and disk of a cluster that runs already.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kubernetesNodeImage } from '@nodewright/build';
import { runDocker } from '@nodewright/provision/engine';
import { engineEnvironment } from '../../cluster/docker/docker-cluster.ts';
import { openHome } from '../../cluster/process/process-cluster.ts';
import { checkout, runTalosctl, type TalosctlInit } from '../../cluster/run-talosctl.ts';
import { readProcessMemory } from '../process-memory.ts';
import { parseSteps, parseTop, sizeMb, sumByProgram } from './node-programs.ts';

const controlPlanes = 3;
const workers = 1;
/** After this time etcd has told its leader, images are unpacked, and machined has given the memory of its start back, in ms. */
const settleMs = 120_000;
const createTimeoutMs = 600_000;

const say = (line: string) => void process.stdout.write(`${line}\n`);

interface NodeFigures {
  readonly node: string;
  /** Proportional set size of each program, in MB, the largest first. */
  readonly programs: ReadonlyMap<string, number>;
  /** What its volumes have, in MB. */
  readonly diskMb: number;
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interrupted.abort(new Error(`ended by ${signal}`)));

try {
  await main();
} catch (error) {
  process.stderr.write(`measure-kubernetes: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  await using scope = new AsyncDisposableStack();
  const given = process.env.CLUSTER ?? '';
  const { name, nodes, start } = given === '' ? await createNodes(scope) : await findNodes(given);
  const volumes = await readVolumes();
  const figures = await Promise.all(nodes.map((node) => measureNode(name, node, volumes)));
  for (const line of table(figures)) say(line);
  const folder = join(checkout, '_out', 'bench');
  mkdirSync(folder, { recursive: true });
  const document = {
    ...start,
    nodes: figures.map((each) => ({ ...each, programs: Object.fromEntries(each.programs) })),
  };
  writeFileSync(join(folder, 'kubernetes.json'), `${JSON.stringify(document, undefined, 2)}\n`);
}

interface MeasuredNodes {
  readonly name: string;
  readonly nodes: readonly string[];
  /** How long the start took, for a cluster of this run. */
  readonly start?: {
    readonly readySeconds: number;
    readonly steps: ReturnType<typeof parseSteps>;
  };
}

/** @throws Error of one line when no such cluster of containers runs */
async function findNodes(name: string): Promise<MeasuredNodes> {
  const names = (await runDocker(['ps', '--format', '{{.Names}}', '--filter', `name=^${name}-`])).split('\n');
  const nodes = names.flatMap((container) => {
    const node = container.startsWith(`${name}-`) ? container.slice(name.length + 1) : '';
    return /^node\d+-1$/.test(node) ? [node.slice(0, -2)] : [];
  });
  if (nodes.length === 0)
    throw new Error(`CLUSTER=${name} has no running node: make up KUBERNETES=1 cluster=${name}`);
  return { name, nodes: nodes.sort() };
}

/** Makes a cluster, and waits until it is at rest. */
async function createNodes(scope: AsyncDisposableStack): Promise<MeasuredNodes> {
  const name = `measure-kubernetes-${process.pid}`;
  const home = scope.use(await openHome()).path;
  const cli: TalosctlInit = { home, environment: { ...engineEnvironment(), NODEWRIGHT_ETCD: '' } };
  const destroy = ['cluster', 'destroy', '--name', name, '--force', '--if-present'];
  scope.defer(async () => {
    const { exitCode, stderr } = await runTalosctl(destroy, cli);
    if (exitCode !== 0) process.stderr.write(stderr);
  });
  say(`starting ${controlPlanes} control planes and ${workers} worker`);
  const { exitCode, stdout, stderr } = await runTalosctl(
    [
      ...['cluster', 'create', '--name', name, '-o', 'json', '--provisioner', 'docker'],
      ...['--controlplanes', String(controlPlanes), '--workers', String(workers)],
      ...['--node-image', kubernetesNodeImage, '--kubernetes'],
    ],
    { ...cli, timeoutMs: createTimeoutMs },
  );
  interrupted.signal.throwIfAborted();
  if (exitCode !== 0) throw new Error(stderr.trim());
  const { cluster, kubernetes } = JSON.parse(stdout) as {
    readonly cluster: { readonly nodes: readonly { readonly name: string }[] };
    readonly kubernetes: { readonly workloads: { readonly seconds: number } };
  };
  const start = { readySeconds: kubernetes.workloads.seconds, steps: parseSteps(stderr) };
  const row = (seconds: number, what: string) => say(`${seconds.toFixed(1).padStart(7)} s  ${what}`);
  for (const { step, seconds } of start.steps) row(seconds, step);
  row(
    start.readySeconds,
    `from the command until the nodes are Ready and have a DNS; measured ${settleMs / 1000} s later`,
  );
  await sleep(settleMs, undefined, { signal: interrupted.signal });
  return { name, nodes: cluster.nodes.map((node) => node.name), start };
}

async function measureNode(
  name: string,
  node: string,
  volumes: ReadonlyMap<string, number>,
): Promise<NodeFigures> {
  const processes = parseTop(await runDocker(['top', `${name}-${node}-1`, '-eo', 'pid,args']));
  const own = [...volumes].filter(([volume]) => volume.startsWith(`${name}_${node}-`));
  return {
    node,
    programs: sumByProgram(
      processes.flatMap(({ pid, command }) => {
        try {
          return [{ command, megabytes: readProcessMemory(pid).pss }];
        } catch {
          // A probe, for example, that has ended meanwhile.
          return [];
        }
      }),
    ),
    diskMb: own.reduce((sum, [, megabytes]) => sum + megabytes, 0),
  };
}

/** MB of each volume of the engine. */
async function readVolumes(): Promise<ReadonlyMap<string, number>> {
  const text = await runDocker(['system', 'df', '--verbose', '--format', '{{json .Volumes}}']);
  const volumes = JSON.parse(text) as readonly { readonly Name: string; readonly Size: string }[];
  return new Map(volumes.map(({ Name, Size }) => [Name, sizeMb(Size)]));
}

/** A table of Markdown, with a column for each node. */
function table(figures: readonly NodeFigures[]): string[] {
  const programs = [...new Set(figures.flatMap((each) => [...each.programs.keys()]))];
  const row = (what: string, cells: readonly string[]) => `| ${[what, ...cells].join(' | ')} |`;
  const cell = (megabytes: number | undefined) => megabytes?.toFixed(0) ?? '–';
  const sum = ({ programs: of }: NodeFigures) => [...of.values()].reduce((all, each) => all + each, 0);
  return [
    row(
      'MB, proportional',
      figures.map(({ node }) => node),
    ),
    row(
      '---',
      figures.map(() => '---'),
    ),
    ...programs.map((program) =>
      row(
        program,
        figures.map((each) => cell(each.programs.get(program))),
      ),
    ),
    row(
      'all programs',
      figures.map((each) => cell(sum(each))),
    ),
    row(
      'disk',
      figures.map(({ diskMb }) => cell(diskMb)),
    ),
  ];
}
