import type { NodeClient } from '@nodewright/client';
import { onlyMessage } from '../nodes/only-message.ts';

/** Calls that act on a service, by the word of the command line. */
const calls = {
  start: async ({ machine }: NodeClient, id: string, signal: AbortSignal) =>
    onlyMessage(await machine.serviceStart({ id }, { signal })),
  stop: async ({ machine }: NodeClient, id: string, signal: AbortSignal) =>
    onlyMessage(await machine.serviceStop({ id }, { signal })),
  restart: async ({ machine }: NodeClient, id: string, signal: AbortSignal) =>
    onlyMessage(await machine.serviceRestart({ id }, { signal })),
} as const;

export type ServiceAction = keyof typeof calls;

export const isServiceAction = (text: string): text is ServiceAction => Object.hasOwn(calls, text);

/** Starts, stops or restarts a service. Resolves to the answer of the node. */
export function callService(
  node: NodeClient,
  id: string,
  action: ServiceAction,
  signal: AbortSignal,
): Promise<{ readonly resp: string }> {
  return calls[action](node, id, signal);
}
