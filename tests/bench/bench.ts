// Compares a cluster of real daemons with nghttpx and a Go proxy in place of apid, every target in one run. `make bench`;
// the figures also go to _out/bench/bench.json. Exits with 1 when something fails, never because something is
// slow: budgets.ts checks the budgets.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchCluster, openCluster } from './cluster.ts';
import { GatewayStarter } from './gateways.ts';
import { type LoadClient, openLoadClient } from './load/open-load-client.ts';
import { type MachineFacts, readMachineFacts } from './machine-facts.ts';
import { type BenchOptions, parseBenchOptions, usage } from './options.ts';
import { findNghttpx, type Nghttpx } from './peers/find-nghttpx.ts';
import { findGoProxy, type GoProxy } from './peers/go-proxy.ts';
import type { BenchResults, UnaryResult } from './report/bench-results.ts';
import { renderResults } from './report/render-results.ts';
import {
  type NghttpxGateways,
  oneNodeTargets,
  type PeerGateways,
  severalNodesTarget,
} from './request-targets.ts';
import { measureStreams, streamBytes, streamMessageBytes } from './stream-section.ts';
import {
  figuresOf,
  measuredMethod,
  measurePoints,
  planPoints,
  streamsPerConnection,
  type UnaryPoint,
} from './unary-point.ts';
import { watchMemory } from './watch-memory.ts';

const checkout = join(import.meta.dirname, '..', '..');
const oneNodeStreams = [1, 16, 64];
const severalNodesStreams = [1, 16];
const controlPlanes = 3;
const workers = 13;
/** Twice the size of what a cluster of 16 nodes needs, in bytes. */
const memoryForAll = 2e9;

interface Surroundings {
  readonly options: BenchOptions;
  readonly machine: MachineFacts;
  readonly workspace: string;
  readonly cluster: BenchCluster;
  readonly client: LoadClient;
  readonly nghttpx: Nghttpx | undefined;
  readonly goProxy: GoProxy | undefined;
  readonly notes: string[];
  readonly signal: AbortSignal;
}

/** Progress: one line that changes on a terminal, separate lines elsewhere. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else if (text !== '') process.stderr.write(`${text}\n`);
}

/** `undefined`, with a note, when there is no working nghttpx. */
async function startNghttpxGateways(
  starter: GatewayStarter,
  surroundings: Surroundings,
): Promise<NghttpxGateways | undefined> {
  const { cluster, nghttpx, notes } = surroundings;
  if (nghttpx === undefined) return undefined;
  const [first, second] = cluster.nodes.map(({ machinedSocket }) => ({ path: machinedSocket }));
  if (first === undefined || second === undefined) throw new Error('the cluster has no second node');
  try {
    const near = await starter.nghttpx(nghttpx, first);
    const far = await starter.nghttpx(nghttpx, second);
    return { near, far, entry: await starter.nghttpx(nghttpx, far) };
  } catch (error) {
    notes.push(`nghttpx was left out: ${(error as Error).message.trim()}`);
    return undefined;
  }
}

/** `undefined`, with a note, when there is no working Go proxy. */
async function startGoGateway(starter: GatewayStarter, { cluster, goProxy, notes }: Surroundings) {
  const [first] = cluster.nodes;
  if (goProxy === undefined || first === undefined) return undefined;
  try {
    return await starter.goProxy(goProxy, first.machinedSocket);
  } catch (error) {
    notes.push(`the Go proxy was left out: ${(error as Error).message.trim()}`);
    return undefined;
  }
}

function resultOf(point: UnaryPoint): UnaryResult {
  const { target, streams, connections, runs } = point;
  const { name, gateway, hops, nodes } = target;
  return { target: name, gateway, hops, nodes, streams, connections, median: figuresOf(point), runs };
}

async function measureRequests(surroundings: Surroundings, peers: PeerGateways) {
  const { options, cluster, client } = surroundings;
  const wants = (section: BenchOptions['sections'][number]) => options.sections.includes(section);
  const sizes = [...new Set([controlPlanes, cluster.nodes.length])];
  const unary = wants('unary') ? planPoints(oneNodeTargets(cluster, peers), oneNodeStreams) : [];
  const fanOut = wants('fan-out')
    ? planPoints(
        sizes.map((size) => severalNodesTarget(cluster, size)),
        severalNodesStreams,
      )
    : [];
  const pace = { ...options, signal: surroundings.signal };
  const cold = await measurePoints(client, [...unary, ...fanOut], pace, progress);
  return {
    cold: cold.filter(({ target }) => target.nodes === 1).map(resultOf),
    unary: unary.map(resultOf),
    fanOut: fanOut.map(resultOf),
  };
}

async function measure(surroundings: Surroundings): Promise<BenchResults> {
  const { options, machine, workspace, cluster, client, notes, signal } = surroundings;
  await using scope = new AsyncDisposableStack();
  const starter = new GatewayStarter(cluster, workspace, scope);
  const peers = {
    nghttpx: await startNghttpxGateways(starter, surroundings),
    goProxy: await startGoGateway(starter, surroundings),
  };
  const nghttpx = peers.nghttpx === undefined ? undefined : surroundings.nghttpx;
  const goProxy = peers.goProxy === undefined ? undefined : surroundings.goProxy;
  progress('memory of the idle daemons');
  await sleep(options.settleMs, undefined, { signal });
  const memory = await watchMemory(cluster, peers, options.idleLevelMs, signal);
  const requests = await measureRequests(surroundings, peers);
  const stream = options.sections.includes('stream')
    ? await measureStreams({ starter, workspace, client, nghttpx, goProxy, options, signal }, progress)
    : [];
  progress('memory after the load');
  await sleep(options.returnMs, undefined, { signal });
  return {
    takenAt: new Date().toISOString(),
    machine,
    nghttpx: nghttpx?.version,
    goProxy: goProxy?.version,
    parameters: {
      ...options,
      method: measuredMethod,
      streamsPerConnection,
      nodes: cluster.nodes.length,
      streamBytes,
      streamMessageBytes,
      secondsToCreateCluster: cluster.secondsToCreate,
    },
    notes,
    ...requests,
    stream,
    memory: await memory(options.afterLevelMs),
  };
}

async function main(options: BenchOptions, signal: AbortSignal): Promise<void> {
  const notes: string[] = [];
  const dist = join(checkout, '_out', 'dist');
  const machine = readMachineFacts(checkout, dist);
  if (machine.loadAverage > machine.processors / 2) {
    notes.push(
      `the machine was busy (load average ${machine.loadAverage.toFixed(1)} before the run): noisy figures`,
    );
  }
  const found = findNghttpx(join(checkout, '_out', 'peers'));
  if (typeof found === 'string') notes.push(`nghttpx was left out: ${found}`);
  const foundGo = findGoProxy(checkout, progress);
  if (typeof foundGo === 'string') notes.push(`the Go proxy was left out: ${foundGo}`);
  const isRoomy = freemem() >= memoryForAll;
  if (!isRoomy) notes.push('too little memory is free for 16 nodes: the fan-out goes over 3');
  await using scope = new AsyncDisposableStack();
  const workspace = mkdtempSync(join(tmpdir(), 'bench-'));
  scope.defer(() => rmSync(workspace, { recursive: true, force: true }));
  const client = scope.use(openLoadClient());
  progress('a cluster of real daemons');
  const cluster = scope.use(
    await openCluster({
      distFolder: dist,
      workspace,
      controlPlanes,
      workers: isRoomy ? workers : 0,
      signal,
    }),
  );
  const nghttpx = typeof found === 'string' ? undefined : found;
  const goProxy = typeof foundGo === 'string' ? undefined : foundGo;
  const results = await measure({
    ...{ options, machine, workspace, cluster, client, nghttpx, goProxy, notes, signal },
  });
  progress('');
  process.stdout.write(`${renderResults(results)}\n`);
  const out = options.out ?? join(checkout, '_out', 'bench', 'bench.json');
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, `${JSON.stringify(results, null, 2)}\n`);
}

function readOptions(): BenchOptions {
  try {
    return parseBenchOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

const options = readOptions();
const stop = new AbortController();
// A second signal must not end it before its cluster is removed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
try {
  await main(options, stop.signal);
} catch (error) {
  process.stderr.write(`\nbench: ${stop.signal.aborted ? 'stopped' : (error as Error).message}\n`);
  process.exitCode = 1;
}
