// A node of one container for an hour, on which nobody does anything: does the memory of its daemons stay flat? `MINUTES=` (60), at
// least 15. What an idle daemon holds grows for a long time until V8 collects it, so the level is taken after some calls, which make V8
// collect: after ten minutes, and at the end. Ends with 1 when a daemon has more at the end.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { NodeClient } from '@nodewright/client';
import { ports } from '@nodewright/contract';
import { faultFrom } from '@nodewright/fault';
import { readProcessMemory } from '../../bench/process-memory.ts';
import type { Daemon, Node } from '../../cluster/cluster.ts';
import { openNodeImageCluster } from '../../cluster/docker/node-image-cluster.ts';

const minutes = Number(process.env.MINUTES || 60);
const warmUpMinutes = 10;
/** With less there is no time between the two levels. */
const leastMinutes = 15;
/** What may differ between two levels, in MB. A leak of 2 kB each second makes 6 MB of the 50 minutes between them. */
const allowedMegabytes = 4;
const sampleMs = 10_000;
/** Calls of each kind before a level, some at a time. */
const calls = 3000;
const callsAtOnce = 8;
/** How long a daemon may take until it has given memory back. */
const restSamples = 9;
/** udevd-bridge is not among them: nobody can call it from outside. */
const daemons: readonly Daemon[] = ['machined', 'apid', 'trustd'];

/** By daemon, in MB. */
type Levels = ReadonlyMap<Daemon, number>;

/** Resident memory of the daemons of a node. Throws when one does not run, or is another process than before. */
class NodeMemory {
  readonly #pids = new Map<Daemon, number>();
  readonly #node: Node;

  constructor(node: Node) {
    this.#node = node;
  }

  async read(): Promise<Levels> {
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

  /** The least that each has in the time after some calls. */
  async level(client: NodeClient): Promise<Levels> {
    await callOften(client, this.#node.address);
    const least = new Map<Daemon, number>();
    for (let sample = 0; sample < restSamples; sample += 1) {
      await sleep(sampleMs);
      for (const [daemon, rss] of await this.read())
        least.set(daemon, Math.min(least.get(daemon) ?? Infinity, rss));
    }
    return least;
  }
}

/** Calls that machined and apid answer, and handshakes with trustd. */
async function callOften({ machine, state }: NodeClient, address: string): Promise<void> {
  let left = calls;
  const lane = async () => {
    while (left-- > 0) {
      await machine.serviceList({});
      for await (const _ of state.list({
        namespace: 'network',
        type: 'LinkStatuses.net.talos.dev',
        options: {},
      }));
      await shakeHands(address);
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, lane));
}

/** Whoever joins knows no certificate of trustd yet, and trustd asks for none. */
async function shakeHands(host: string): Promise<void> {
  const socket = connect({ host, port: ports.trustd, ALPNProtocols: ['h2'], rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  socket.destroy();
}

function show(text: string, levels: Levels): void {
  const each = [...levels].map(([daemon, rss]) => `${daemon} ${rss.toFixed(1)} MB`);
  process.stdout.write(`${text}: ${each.join(', ')}\n`);
}

async function soak(): Promise<boolean> {
  if (!(minutes >= leastMinutes)) throw new Error(`MINUTES=${minutes} are too few: at least ${leastMinutes}`);
  await using cluster = await openNodeImageCluster({ controlPlanes: 1, workers: 0 });
  const [node] = cluster.nodes;
  if (node === undefined) throw new Error('the cluster has no node');
  process.stdout.write((await cluster.talosctl('-n', node.name, 'services')).stdout);
  const memory = new NodeMemory(node);
  const begunMs = performance.now();
  const elapsed = () => (performance.now() - begunMs) / 60_000;
  const watch = async (until: number) => {
    for (let shown = Math.floor(elapsed()); elapsed() < until; ) {
      await sleep(sampleMs);
      const now = await memory.read();
      if (Math.floor(elapsed()) > shown) show(`${Math.floor(elapsed())} of ${minutes} minutes`, now);
      shown = Math.floor(elapsed());
    }
  };
  await watch(warmUpMinutes);
  // Certificates of clients last an hour.
  const levelNow = async () => {
    using talos = await cluster.client();
    return await memory.level(talos.node(node.name));
  };
  const before = await levelNow();
  show('the level before', before);
  await watch(minutes);
  const after = await levelNow();
  let isFlat = true;
  for (const [daemon, rss] of after) {
    const level = before.get(daemon) ?? Number.NaN;
    const isGood = rss <= level + allowedMegabytes;
    isFlat &&= isGood;
    process.stdout.write(
      `${isGood ? 'passed' : 'failed'}: ${daemon} has ${rss.toFixed(1)} MB after calls, and had ${level.toFixed(1)} MB\n`,
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
