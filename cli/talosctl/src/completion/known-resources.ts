import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClient } from '@nodewright/client';
import { stateOf } from '../get/get-resources.ts';
import { listDefinitions, resolveKind } from '../get/resolve-kind.ts';
import { openClient } from '../nodes/open-client.ts';
import type { CompletionRequest } from './completion-request.ts';
import { callTimeoutMs } from './known-nodes.ts';

/** Plural names of the resource types of the first node. */
export function resourceKinds(request: CompletionRequest): Promise<readonly string[]> {
  return queryFirstNode(request, async (node) => {
    const definitions = await listDefinitions(stateOf(node));
    const names = definitions.map(({ metadata }) => metadata.id.split('.', 1)[0] as string);
    return [...new Set(names)].sort();
  });
}

/** Ids of the resources of a type on the first node. */
export function resourceIds(request: CompletionRequest, word: string): Promise<readonly string[]> {
  return queryFirstNode(request, async (node) => {
    const state = stateOf(node);
    const { type, defaultNamespace: namespace } = resolveKind(await listDefinitions(state), word);
    return (await state.list({ namespace, type })).map(({ metadata }) => metadata.id);
  });
}

async function queryFirstNode(
  { env, nodeOptions }: CompletionRequest,
  ask: (node: NodeClient) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  using client = await openClient(env, nodeOptions);
  const [first] = client.targets;
  if (first === undefined) return [];
  // Do not wait longer than the timeout. The connection closes with the client.
  const late = sleep(callTimeoutMs, [], { ref: false });
  return await Promise.race([ask(first), late]);
}
