// Follows the logs of all nodes of a cluster while they are written, and checks what arrives.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readPageSizeBytes } from '@nodewright/linux';
import { eventually } from '@nodewright/testkit';
import { type SoakCluster, type SoakNode, writingService } from './start-cluster.ts';

export interface FollowLoad {
  readonly durationMs: number;
  /** Total of all nodes. */
  readonly bytesPerSecond: number;
}

export interface FollowFigures {
  readonly nodes: number;
  readonly megabytes: number;
  readonly lines: number;
  /** Time from writing a line to its arrival. */
  readonly latencyMs: { readonly median: number; readonly highest: number };
  /** Time from the abort to the end of the loop. */
  readonly cancelMs: number;
  /**
   * Per daemon: resident memory in the second sixth and in the last third, and the peak, in MB. For the
   * client, which is the test's own process: the heap after a collection, at one third and at the end.
   */
  readonly memory: readonly { readonly name: string; readonly early: number; readonly late: number }[];
}

const tickMs = 100;
const lineBytes = 250;

/** The lines that one node wrote, checked against those that arrive. */
class NodeTrace {
  readonly #node: SoakNode;
  readonly #written: number[] = [];
  readonly latenciesMs: number[] = [];
  #rest = '';
  arrived = 0;
  bytes = 0;

  constructor(node: SoakNode) {
    this.#node = node;
  }

  get written(): number {
    return this.#written.length;
  }

  write(bytes: number): void {
    for (let left = bytes; left > 0; left -= lineBytes) {
      const line = `${this.#node.address} line ${this.#written.length} `.padEnd(lineBytes - 1, 'x');
      this.#written.push(performance.now());
      this.#node.log.write(`${line}\n`);
    }
  }

  /** Takes a chunk as it arrives; every line must be the next one. */
  take(piece: Uint8Array): void {
    this.bytes += piece.length;
    const lines = (this.#rest + Buffer.from(piece).toString('latin1')).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const expected = `${this.#node.address} line ${this.arrived} `.padEnd(lineBytes - 1, 'x');
      assert.equal(line, expected, `line ${this.arrived} of ${this.#node.address}`);
      this.latenciesMs.push(performance.now() - (this.#written[this.arrived] as number));
      this.arrived += 1;
    }
  }
}

/** @throws AssertionError when a line is lost, truncated or out of order */
export async function followLogs(cluster: SoakCluster, load: FollowLoad): Promise<FollowFigures> {
  const { nodes, talos } = cluster;
  const traces = new Map(nodes.map((node) => [node.address, new NodeTrace(node)]));
  const all = [...traces.values()];
  // A log exists only after its first line.
  for (const trace of all) trace.write(1);
  for (const { address } of nodes) {
    const exists = async () => {
      const { messages } = await talos.node(address).machine.logsContainers({});
      return messages[0]?.ids.includes(writingService) ?? false;
    };
    await eventually(exists, { what: `log of ${address}` });
  }

  const stop = new AbortController();
  const following = follow(cluster, traces, stop.signal);
  // An earlier failure is reported at the end.
  following.catch(() => {});
  const memory = watchMemory(nodes);
  let early: number | undefined;
  const perTick = (load.bytesPerSecond * tickMs) / 1000 / nodes.length;
  const startedMs = performance.now();
  for (let owed = 0; performance.now() - startedMs < load.durationMs; ) {
    await sleep(tickMs);
    // Based on the clock, so that a late timer does not reduce the load.
    const due = ((performance.now() - startedMs) / tickMs) * perTick;
    for (const trace of all) trace.write(due - owed);
    owed = due;
    if (performance.now() - startedMs > load.durationMs / 3) early ??= heldMb();
    if (await isSettled(following)) break;
  }
  const isComplete = () => all.every(({ arrived, written }) => arrived === written);
  await Promise.race([following, eventually(isComplete, { what: 'last line', timeoutMs: 10_000 })]);
  assert.deepEqual(
    all.map(({ arrived }) => arrived),
    all.map(({ written }) => written),
  );

  const client = { name: 'client', early: early ?? 0, late: heldMb() };
  const abortedMs = performance.now();
  stop.abort();
  await following;
  const cancelMs = performance.now() - abortedMs;
  const latencies = all.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b);
  return {
    nodes: nodes.length,
    megabytes: all.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6,
    lines: latencies.length,
    latencyMs: { median: latencies[latencies.length >> 1] ?? 0, highest: latencies.at(-1) ?? 0 },
    cancelMs,
    memory: [...memory(), client],
  };
}

async function follow(
  { nodes, talos }: SoakCluster,
  traces: ReadonlyMap<string, NodeTrace>,
  signal: AbortSignal,
): Promise<void> {
  const request = { namespace: 'system', id: writingService, follow: true, tailLines: -1 };
  const pieces = talos.fanOutStream(
    (node, nodeSignal) => node.machine.logs(request, { signal: nodeSignal }),
    {
      signal,
      nodes: nodes.map(({ address }) => address),
    },
  );
  for await (const { node, value, fault } of pieces) {
    if (fault === undefined) traces.get(node)?.take(value.bytes);
    else if (!signal.aborted) throw fault;
  }
}

async function isSettled(work: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([work.catch(() => {}), Promise.resolve(pending)])) !== pending;
}

/** Heap of this process, in MB, after a collection. */
function heldMb(): number {
  setFlagsFromString('--expose-gc');
  // The function `gc` exists only in contexts created after the flag was set.
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

/** Samples the memory of every process until the returned function is called. */
function watchMemory(nodes: readonly SoakNode[]): () => FollowFigures['memory'] {
  const pageBytes = readPageSizeBytes();
  const watched = nodes.flatMap(({ address, daemons }) =>
    daemons.map(({ name, process: { pid } }) => ({
      name: `${name} ${address}`,
      pid,
      samples: [] as number[],
    })),
  );
  const sample = () => {
    for (const { pid, samples } of watched) {
      const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
      samples.push((pages * pageBytes) / 1e6);
    }
  };
  const timer = setInterval(sample, 500);
  return () => {
    clearInterval(timer);
    return watched.map(({ name, samples }) => ({
      name,
      early: Math.max(...samples.slice(Math.floor(samples.length / 6), Math.ceil(samples.length / 3))),
      late: Math.max(...samples.slice(Math.floor((samples.length * 2) / 3))),
    }));
  };
}
