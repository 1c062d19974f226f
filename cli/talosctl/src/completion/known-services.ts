import type { NodeClient } from '@nodewright/client';
import { onlyMessage } from '../nodes/only-message.ts';
import { openClient } from '../nodes/open-client.ts';
import { listServices } from '../nodes/service-rows.ts';
import type { CompletionRequest } from './completion-request.ts';
import { callTimeoutMs } from './known-nodes.ts';

/** Ids of the services of the nodes. */
export function serviceIds(request: CompletionRequest): Promise<readonly string[]> {
  return idsOfNodes(request, async (node, signal) => (await listServices(node, signal)).map(({ id }) => id));
}

/** Ids of the logs of the nodes. */
export function logIds(request: CompletionRequest): Promise<readonly string[]> {
  return idsOfNodes(
    request,
    async ({ machine }, signal) => onlyMessage(await machine.logsContainers({}, { signal })).ids,
  );
}

async function idsOfNodes(
  { env, nodeOptions }: CompletionRequest,
  call: (node: NodeClient, signal: AbortSignal) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  using client = await openClient(env, nodeOptions);
  const ids = new Set<string>();
  const results = client.fanOut(call, { signal: AbortSignal.timeout(callTimeoutMs) });
  for await (const { value } of results) for (const id of value ?? []) ids.add(id);
  return [...ids].sort();
}
