import type { NodeClient } from '@nodewright/client';
import type { ActionEvent } from './action-event.ts';

/** Whether the node is where the action was to bring it, asked of the node itself. */
export interface PostCheck {
  /** Looks at the node before the action; undefined when the caller may not, and then nothing is checked. */
  prepare(node: NodeClient, signal: AbortSignal): Promise<string | undefined>;
  /** Whether the node is another one than the one that was looked at. A failure means not yet. */
  hasPassed(node: NodeClient, before: string, signal: AbortSignal): Promise<boolean>;
}

/** Something that a node is told to do, and goes on doing after it has answered. */
export interface NodeAction {
  /** The sequence that does it, by its name on the wire. */
  readonly sequence: string;
  /** Begins it and gives the id under which the node tells how it goes. */
  start(node: NodeClient, signal: AbortSignal): Promise<string>;
  /** Whether an event that is newer than the action says that the node has done what is waited for. */
  isMet(event: ActionEvent): boolean;
  readonly postCheck?: PostCheck;
}
