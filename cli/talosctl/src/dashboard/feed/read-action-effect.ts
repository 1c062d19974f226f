import type { PlannedAction } from '@nodewright/client/what-if';
import { readEffect } from '../../action/read-effect.ts';
import type { FeedContext } from './feed-context.ts';

/** Asks what the action would do: the same sentences as in the question of the command. */
export async function readActionEffect(
  { node, client, signal, emit }: FeedContext,
  planned: PlannedAction,
  callerRoles: readonly string[] | undefined,
): Promise<void> {
  const { lines } = await readEffect(planned, { client, nodes: [node], callerRoles, signal });
  emit({ kind: 'effect', planned, lines });
}
