import { setTimeout as sleep } from 'node:timers/promises';
import { anySignal } from '@nodewright/async';
import { CallFault, type NodeClient, type TalosClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';

/** As long as the longest back-off of a gateway. A node may be out of reach of an endpoint for other reasons, and for good. */
const longestMs = 15_000;
const retryMs = 100;

/**
 * Waits until a node that was restarted answers through every endpoint: the next command may use any of them, and a gateway that has
 * called the node meanwhile backs off for some seconds. Endpoints that cannot be reached themselves do not count.
 */
export async function awaitEndpoints(
  client: TalosClient,
  node: NodeClient,
  signal: AbortSignal,
): Promise<void> {
  // Without a name of the node there is only one way to it, and a single endpoint has just answered.
  if (client.endpoints.length < 2 || client.node(node.name) !== node) return;
  const either = anySignal(signal, AbortSignal.timeout(longestMs));
  using paths = client.throughEachEndpoint(node.name);
  await Promise.all(paths.nodes.map((path) => answers(path, either)));
  signal.throwIfAborted();
}

/** Resolves when a call has reached the node, when its endpoint cannot be reached, or when the signal aborts. */
async function answers({ machine }: NodeClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await machine.version({}, { signal });
      return;
    } catch (error) {
      if (faultFrom(error).kind !== 'unavailable' || isOwnOf(error)) return;
    }
    await sleep(retryMs, undefined, { signal }).catch(() => {});
  }
}

/** Whether the connection to the endpoint itself failed. Only this hop has a port. */
const isOwnOf = (error: unknown) => error instanceof CallFault && /:\d+$/.test(error.hop ?? '');
