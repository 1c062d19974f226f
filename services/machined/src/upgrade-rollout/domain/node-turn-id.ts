import { createHash } from 'node:crypto';
import type { NodeRole } from '@nodewright/rollout';

/** The turn of a node in a roll-out. */
export interface NodeTurn {
  /** The roll-out: 32 hexadecimal digits. */
  readonly rollout: string;
  /** Host name, lower case. */
  readonly node: string;
  readonly role: NodeRole;
  /** Counts from 1. */
  readonly attempt: number;
}

/**
 * The id of the plan by which a node carries out its turn. It is made of the turn, so that the record on the disk of the node says which
 * turns it has had, also after a restart.
 */
export const nodePlanIdOf = ({ rollout, node, attempt }: NodeTurn): string =>
  createHash('sha256').update(`${rollout} ${node} ${attempt}`).digest('hex').slice(0, 32);
