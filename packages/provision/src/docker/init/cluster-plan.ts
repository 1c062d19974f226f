import { Fault } from '@nodewright/fault';
import type { NodeType, PlannedNode } from '../../domain/cluster-shape.ts';

/** The cluster for which `init` generates the configurations. */
export interface StackPlan {
  readonly name: string;
  readonly nodes: readonly PlannedNode[];
  /** `address:port` of the stack's time server. */
  readonly timeServer: string | undefined;
  /** Addresses outside of the stack's network at which clients reach the nodes. */
  readonly certSans: readonly string[];
}

/** Parses text such as `node01=10.5.0.2`. Throws a Fault `invalid-argument` for other text. */
export function parseStackNode(text: string, type: NodeType): PlannedNode {
  const [, name, address] = /^([a-z0-9][a-z0-9-]{0,62})=([0-9a-f.:]+)$/.exec(text) ?? [];
  if (name === undefined || address === undefined)
    throw new Fault('invalid-argument', `a node must be given as name=address, not "${text}"`);
  return { name, type, address };
}
