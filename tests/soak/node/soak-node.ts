// A node of one container for an hour, on which nobody does anything: does the memory of its daemons stay flat? `MINUTES=` (60), at
// least 30. Compares the least that a daemon had between the tenth and the twentieth minute, and in the last ten minutes: the
// least, because what a daemon holds grows until the next collection. Ends with 1 when a daemon has more.
import { setTimeout as sleep } from 'node:timers/promises';
import { faultFrom } from '@nodewright/fault';
import { readProcessMemory } from '../../bench/process-memory.ts';
import type { Daemon, Node } from '../../cluster/cluster.ts';
import { openNodeImageCluster } from '../../cluster/docker/node-image-cluster.ts';

const minutes = Number(process.env.MINUTES || 60);
const warmUpMinutes = 10;
/** The two spans that are compared. */
const spanMinutes = 10;
/** With less the spans overlap. */
const leastMinutes = warmUpMinutes + 2 * spanMinutes;
/** What else may move in an hour, in MB. A leak of 2 kB each second is 5 MB from span to span in an hour. */
const allowedMegabytes = 4;
const sampleMs = 10_000;
const daemons: readonly Daemon[] = ['machined', 'apid', 'trustd', 'udevd-bridge'];

/** Resident memory in MB by daemon. Throws when one does not run, or another process runs than before. */
class NodeMemory {
  readonly #pids = new Map<Daemon, number>();
  readonly #node: Node;

  constructor(node: Node) {
    this.#node = node;
  }

  async read(): Promise<ReadonlyMap<Daemon, number>> {
    const found = new Map<Daemon, number>();
    for (const daemon of daemons) {
      const pid = await this.#node.instanceOf(daemon);
      if (pid === undefined) throw new Error(`${daemon} does not run`);
      if ((this.#pids.get(daemon) ?? pid) !== pid) throw new Error(`${daemon} was restarted`);
      this.#pids.set(daemon, pid);
      found.set(daemon, readProcessMemory(pid).rss);
    }
    return found;
  }
}

async function soak(): Promise<boolean> {
  if (!(minutes >= leastMinutes)) throw new Error(`MINUTES=${minutes} are too few: at least ${leastMinutes}`);
  await using cluster = await openNodeImageCluster({ controlPlanes: 1, workers: 0 });
  const [node] = cluster.nodes;
  if (node === undefined) throw new Error('the cluster has no node');
  const { stdout: services } = await cluster.talosctl('-n', node.name, 'services');
  process.stdout.write(services);
  const memory = new NodeMemory(node);
  const first = new Map<Daemon, number>();
  const last = new Map<Daemon, number>();
  const begunMs = performance.now();
  for (let minute = 0; minute < minutes; ) {
    await sleep(sampleMs);
    const now = await memory.read();
    const elapsed = (performance.now() - begunMs) / 60_000;
    const spans = [
      ...(elapsed >= warmUpMinutes && elapsed < warmUpMinutes + spanMinutes ? [first] : []),
      ...(elapsed >= minutes - spanMinutes ? [last] : []),
    ];
    for (const [daemon, rss] of now)
      for (const span of spans) span.set(daemon, Math.min(span.get(daemon) ?? Infinity, rss));
    if (Math.floor(elapsed) === minute) continue;
    minute = Math.floor(elapsed);
    const text = [...now].map(([daemon, rss]) => `${daemon} ${rss.toFixed(1)} MB`).join(', ');
    process.stdout.write(`${minute} of ${minutes} minutes: ${text}\n`);
  }
  let isFlat = true;
  for (const daemon of daemons) {
    const [before = Number.NaN, after = Number.NaN] = [first.get(daemon), last.get(daemon)];
    const isGood = after <= before + allowedMegabytes;
    isFlat &&= isGood;
    process.stdout.write(
      `${isGood ? 'passed' : 'failed'}: ${daemon} has ${after.toFixed(1)} MB, and had ${before.toFixed(1)} MB after ${warmUpMinutes} minutes\n`,
    );
  }
  return isFlat;
}

try {
  if (!(await soak())) process.exitCode = 1;
} catch (error) {
  process.stdout.write(`failed: ${faultFrom(error).message}\n`);
  process.exitCode = 1;
}
