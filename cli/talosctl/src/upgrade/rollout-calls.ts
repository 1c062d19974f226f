// Calls about the upgrade of all nodes. Any control plane answers, and each of them restarts on the way.
import { setTimeout as pause } from 'node:timers/promises';
import type { NodeClient, TalosClient } from '@nodewright/client';
import type { Rollout } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { type Fault, faultFrom } from '@nodewright/fault';

/** How long no control plane may answer while a roll-out is followed, in ms. */
const silenceMs = 180_000;
const retryMs = 1_000;

/** What is worth a question to another control plane. */
const passing: ReadonlySet<Fault['kind']> = new Set([
  'unavailable',
  'deadline-exceeded',
  'resource-exhausted',
]);

/** The nodes to ask, in order: those that the user names, else the endpoints. */
export function askedNodes(client: TalosClient, hasNames: boolean): readonly NodeClient[] {
  if (hasNames) return client.targets;
  const [, ...others] = client.endpoints;
  return [client.firstEndpoint(), ...others.map(({ host }) => client.node(host))];
}

/** Asks the nodes in order until one can be reached. @throws Fault of the last one */
export async function askAny<T>(
  nodes: readonly NodeClient[],
  call: (node: NodeClient) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  let last: unknown;
  for (const node of nodes)
    try {
      return await call(node);
    } catch (error) {
      signal.throwIfAborted();
      last = error;
      if (!passing.has(faultFrom(error).kind)) throw error;
    }
  throw last;
}

/**
 * The roll-out, and again after each change, until nobody carries it out any more. A node that goes away is replaced by another one.
 *
 * @throws Fault when no node answers for three minutes, or one refuses to
 */
export async function* followRollout(
  nodes: readonly NodeClient[],
  signal: AbortSignal,
): AsyncGenerator<Rollout | undefined> {
  let heardMs = performance.now();
  for (let round = 0; ; round += 1) {
    const node = nodes[round % nodes.length];
    if (node === undefined) return;
    try {
      for await (const { rollout } of node.rollouts.watch({}, { signal })) {
        heardMs = performance.now();
        yield rollout;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      const { kind } = faultFrom(error);
      // A node that stops ends its streams in several ways.
      const isPassing = passing.has(kind) || ['cancelled', 'internal', 'unknown', 'aborted'].includes(kind);
      if (!isPassing || performance.now() - heardMs > silenceMs) throw error;
    }
    await pause(retryMs, undefined, { signal });
  }
}
