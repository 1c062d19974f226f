import type { TalosClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import { askEtcd, effectOnEtcd } from './effect-on-etcd.ts';

/** What a verb does to each of its nodes. */
export interface NodeEffectInit {
  /** In words that follow the name of a node. */
  readonly what: string;
  /** Whether the nodes leave etcd first. */
  readonly leavesEtcd?: boolean;
}

/** What becomes of the nodes of a verb, and of the cluster without them. */
export interface NodeEffect {
  /** In words, a line each. */
  readonly lines: readonly string[];
  /** Whether etcd loses a vote, or may lose one: a node that could not be asked counts as a voter. */
  readonly losesVote: boolean;
}

/** Asks the nodes of a verb what it will have changed. */
export async function describeEffect(
  client: TalosClient,
  { what, leavesEtcd = false }: NodeEffectInit,
  signal: AbortSignal,
): Promise<NodeEffect> {
  const names = client.targets.map(({ name }) => nodeNameInLine(name));
  const { lines, losesVote } = effectOnEtcd(await askEtcd(client, signal), leavesEtcd);
  const effect =
    names.length === 1
      ? [`${names[0]} ${what}`]
      : [`${names.length} nodes: ${names.join(', ')}`, `  each ${what}`];
  return { lines: [...effect, ...lines.map((line) => `  ${line}`)], losesVote };
}
