import type { TalosClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import { effectOnEtcd, queryEtcd } from './effect-on-etcd.ts';

/** The effect of a command on each target. */
export interface NodeEffectInit {
  /** A text that follows the name of a node, such as `reboots`. */
  readonly what: string;
  /** Whether the nodes leave etcd first. */
  readonly leavesEtcd?: boolean;
}

/** The effect of a command on its targets and on etcd. */
export interface NodeEffect {
  /** Sentences for the user, one per line. */
  readonly lines: readonly string[];
  /** Whether etcd loses a voter, or may lose one: an unreachable node counts as a voter. */
  readonly losesVote: boolean;
}

/** Describes the effect of a command to the user. It queries the targets for their etcd members. */
export async function describeEffect(
  client: TalosClient,
  { what, leavesEtcd = false }: NodeEffectInit,
  signal: AbortSignal,
): Promise<NodeEffect> {
  const names = client.targets.map(({ name }) => nodeNameInLine(name));
  const { lines, losesVote } = effectOnEtcd(await queryEtcd(client, signal), leavesEtcd);
  const effect =
    names.length === 1
      ? [`${names[0]} ${what}`]
      : [`${names.length} nodes: ${names.join(', ')}`, `  each ${what}`];
  return { lines: [...effect, ...lines.map((line) => `  ${line}`)], losesVote };
}
