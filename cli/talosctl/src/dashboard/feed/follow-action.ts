import type { NodeClient } from '@nodewright/client';
import type { PlannedAction } from '@nodewright/client/what-if';
import { faultFrom } from '@nodewright/fault';
import { rebootAction, shutdownAction } from '../../action/node-actions.ts';
import { callService } from '../../action/service-actions.ts';
import { trackNode } from '../../action/track-node.ts';
import { plainError } from '../../render/plain-error.ts';
import type { StartedAction } from '../model/overlay.ts';
import type { Subscription } from '../model/subscriptions.ts';
import type { FeedContext } from './feed-context.ts';

/** Starts an action that the user has confirmed, and follows it to its end. */
export async function followAction(
  { node, signal, emit, now }: FeedContext,
  { planned, serial }: Extract<Subscription, { readonly kind: 'action' }>,
): Promise<void> {
  const step = (message: string, state: StartedAction['state'] = 'running') =>
    emit({ kind: 'action-step', serial, message, state, atMs: now().getTime() });
  try {
    step(await run(node, planned, signal, step), 'done');
  } catch (error) {
    if (!signal.aborted) step(plainError(faultFrom(error).message), 'failed');
  }
}

/** @returns the last step */
async function run(
  node: NodeClient,
  planned: PlannedAction,
  signal: AbortSignal,
  onProgress: (message: string) => void,
): Promise<string> {
  if (planned.kind === 'service') return (await callService(node, planned.id, planned.verb, signal)).resp;
  const { action } = planned.kind === 'reboot' ? rebootAction(planned.mode) : shutdownAction(false);
  await trackNode({ node, action, onProgress, signal });
  return 'done';
}
