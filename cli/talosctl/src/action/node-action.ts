import type { NodeClient } from '@nodewright/client';
import type { ActionEvent } from './action-event.ts';

/** Checks on the node itself that an action has had its effect. */
export interface PostCheck {
  /** Reads the state before the action; `undefined` when the caller may not read it, which skips the check. */
  prepare(node: NodeClient, signal: AbortSignal): Promise<string | undefined>;
  /** Whether the state differs from `before`. A failure means that the check must be repeated. */
  hasPassed(node: NodeClient, before: string, signal: AbortSignal): Promise<boolean>;
}

/** An action that a call starts and that continues after the node has answered. */
export interface NodeAction {
  /** The name of the node's sequence on the wire. */
  readonly sequence: string;
  /** Starts the action and resolves to the actor id of its events. */
  start(node: NodeClient, signal: AbortSignal): Promise<string>;
  /** Whether an event newer than the start of the action shows that the action is done. */
  isMet(event: ActionEvent): boolean;
  readonly postCheck?: PostCheck;
}
