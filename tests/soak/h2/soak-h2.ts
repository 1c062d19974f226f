// Calls and reconnects for an hour, and checks that every daemon returns to its level: a cluster of processes,
// clients that connect, call, follow logs, cancel and disconnect. `MINUTES=` (60), `SEED=`. The level at rest is
// that after a minute of the same load and a minute of rest. Ends with 1 when a call fails, or when a daemon has
// more than a fifth above its level a minute after the load.
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClient, TalosClient } from '@nodewright/client';
import { readProcessMemory } from '../../bench/process-memory.ts';
import type { Daemon } from '../../cluster/cluster.ts';
import { openProcessCluster, type ProcessCluster } from '../../cluster/process/process-cluster.ts';
import { runOpened } from '../../cluster/run-opened.ts';
import { SeededRandom } from '../../fuzz/seeded-random.ts';

const minutes = Number(process.env.MINUTES || 60);
const seed = Number(process.env.SEED || Date.now() % 2 ** 31);
/** Clients at the same time. Their identity is one, so they stay below its limits. */
const clients = 12;
const restMs = 60_000;
const warmUpMs = 60_000;
/** A daemon returns to its level when it is at most this much above it. */
const allowedRatio = 1.2;
/** Below the rate of cancels that a caller may have: 20 per second. */
const shortestFollowMs = 1500;

/** Makes one connection with a few calls, and closes it. Returns the number of calls. */
async function visit(cluster: ProcessCluster, random: SeededRandom): Promise<number> {
  using client: TalosClient = await cluster.client();
  const node = client.node(random.pick(cluster.nodes).name);
  const calls = 1 + random.below(30);
  const atOnce = 1 + random.below(8);
  for (let done = 0; done < calls; done += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, calls - done) }, () => node.machine.version({}));
    await Promise.all(some);
  }
  if (random.below(2) === 0) await followBriefly(node, shortestFollowMs + random.below(2000));
  return calls;
}

/** Follows a log, and cancels it in the middle. */
async function followBriefly({ machine }: NodeClient, forMs: number): Promise<void> {
  const signal = AbortSignal.timeout(forMs);
  try {
    for await (const _ of machine.logs(
      { namespace: 'system', id: 'apid', follow: true, tailLines: 1 },
      { signal },
    ));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Visits for this long. Returns the numbers of connections and of calls. */
async function load(cluster: ProcessCluster, forMs: number, random: SeededRandom) {
  const until = performance.now() + forMs;
  const count = { connections: 0, calls: 0 };
  const client = async () => {
    while (performance.now() < until) {
      const calls = await visit(cluster, random);
      count.calls += calls;
      count.connections += 1;
      await sleep(random.below(100));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return count;
}

/** Resident memory in MB by `daemon of node`. */
async function memoryOf(cluster: ProcessCluster): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const node of cluster.nodes) {
    const daemons: Daemon[] = node.type === 'worker' ? ['machined', 'apid'] : ['machined', 'apid', 'trustd'];
    for (const daemon of daemons) {
      const pid = await node.instanceOf(daemon);
      if (pid === undefined) throw new Error(`${daemon} of ${node.name} does not run`);
      found.set(`${daemon} of ${node.name}`, readProcessMemory(pid).rss);
    }
  }
  return found;
}

async function soak(cluster: ProcessCluster): Promise<boolean> {
  const random = new SeededRandom(seed);
  await load(cluster, warmUpMs, random);
  await sleep(restMs);
  const before = await memoryOf(cluster);
  const total = { connections: 0, calls: 0 };
  for (let minute = 1; minute <= minutes; minute += 1) {
    const { connections, calls } = await load(cluster, 60_000, random);
    total.connections += connections;
    total.calls += calls;
    const now = [...(await memoryOf(cluster))].map(([name, rss]) => `${name} ${rss.toFixed(0)} MB`);
    process.stdout.write(
      `${minute} of ${minutes} minutes: ${total.connections} connections, ${total.calls} calls; ${now.join(', ')}\n`,
    );
  }
  await sleep(restMs);
  let isWell = true;
  for (const [name, rss] of await memoryOf(cluster)) {
    const level = before.get(name) ?? 0;
    const isBack = rss <= allowedRatio * level;
    isWell &&= isBack;
    process.stdout.write(
      `${isBack ? 'passed' : 'failed'}: ${name} has ${rss.toFixed(1)} MB a minute later, ${level.toFixed(1)} MB before\n`,
    );
  }
  return isWell;
}

process.stdout.write(`soak-h2: ${minutes} minutes, SEED=${seed}\n`);
await runOpened({
  open: () => openProcessCluster({ controlPlanes: 1, workers: 1 }, { name: 'soak-h2' }),
  run: soak,
});
