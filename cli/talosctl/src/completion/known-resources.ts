import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClient } from '@nodewright/client';
import { stateOf } from '../get/get-resources.ts';
import { listDefinitions, resolveKind } from '../get/resolve-kind.ts';
import { openClient } from '../open-client.ts';
import type { CompletionRequest } from './completion-request.ts';
import { askTimeoutMs } from './known-nodes.ts';

/** The plural names of the kinds that the first node has. */
export function resourceKinds(request: CompletionRequest): Promise<readonly string[]> {
  return askFirstNode(request, async (node) => {
    const definitions = await listDefinitions(stateOf(node));
    const names = definitions.map(({ metadata }) => metadata.id.split('.', 1)[0] as string);
    return [...new Set(names)].sort();
  });
}

/** The ids of the resources of a kind on the first node. */
export function resourceIds(request: CompletionRequest, word: string): Promise<readonly string[]> {
  return askFirstNode(request, async (node) => {
    const state = stateOf(node);
    const { type, defaultNamespace: namespace } = resolveKind(await listDefinitions(state), word);
    return (await state.list({ namespace, type })).map(({ metadata }) => metadata.id);
  });
}

async function askFirstNode(
  { env, nodeOptions }: CompletionRequest,
  ask: (node: NodeClient) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  using client = await openClient(env, nodeOptions);
  const [first] = client.targets;
  if (first === undefined) return [];
  // What comes later than that is not waited for: the connection closes with the client.
  const late = sleep(askTimeoutMs, [], { ref: false });
  return await Promise.race([ask(first), late]);
}
