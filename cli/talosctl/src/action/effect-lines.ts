import type { TalosClient } from '@nodewright/client';
import { effectOnEtcd } from './effect-on-etcd.ts';

/** What a verb does to its nodes, in a line that names them: `3 nodes (a, b, c) are reset: ... 1 is the last etcd voter`. */
export async function effectLines(
  client: TalosClient,
  what: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const names = client.targets.map(({ name }) => name);
  const subject = names.length === 1 ? `${names[0]}` : `${names.length} nodes: ${names.join(', ')}`;
  const etcd = await effectOnEtcd(client, signal);
  return [`${subject}`, `  ${what}`, ...(etcd === undefined ? [] : [`  ${etcd}`])];
}
