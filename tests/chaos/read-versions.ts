import { setTimeout as sleep } from 'node:timers/promises';
import type { TalosClient } from '@nodewright/client';
import type { Node } from '../cluster/cluster.ts';

const pauseMs = 500;
const readTimeoutMs = 5000;

/** Number of answers and of failed calls, by the name of the node. */
export interface ReadCounts {
  answered: number;
  failed: number;
}

/** Requests the version of every node repeatedly until `signal` aborts. */
export async function readVersions(
  client: TalosClient,
  nodes: readonly Node[],
  signal: AbortSignal,
): Promise<Map<string, ReadCounts>> {
  const counts = new Map<string, ReadCounts>(nodes.map(({ name }) => [name, { answered: 0, failed: 0 }]));
  const readOf = async ({ name, address }: Node) => {
    const count = counts.get(name) as ReadCounts;
    while (!signal.aborted) {
      try {
        await client.node(address).machine.version({}, { signal: AbortSignal.timeout(readTimeoutMs) });
        count.answered += 1;
      } catch {
        count.failed += 1;
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  };
  await Promise.all(nodes.map(readOf));
  return counts;
}
