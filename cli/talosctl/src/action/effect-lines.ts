import type { TalosClient } from '@nodewright/client';
import { effectOnEtcd } from './effect-on-etcd.ts';

/** What a verb does to each of its nodes, in words that follow their names. */
export interface NodeEffect {
  readonly what: string;
  /** Whether the nodes leave etcd first. */
  readonly leavesEtcd?: boolean;
}

/** What becomes of the nodes that a verb is for, and of the cluster without them, a line each. */
export async function effectLines(
  client: TalosClient,
  { what, leavesEtcd = false }: NodeEffect,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const names = client.targets.map(({ name }) => name);
  const etcd = await effectOnEtcd(client, leavesEtcd, signal);
  const effect =
    names.length === 1
      ? [`${names[0]} ${what}`]
      : [`${names.length} nodes: ${names.join(', ')}`, `  each ${what}`];
  return [...effect, ...(etcd === undefined ? [] : [`  ${etcd}`])];
}
