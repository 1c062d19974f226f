import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import {
  findNetworkNamespaces,
  networkNamespaceNames,
  parseSocketTable,
  type SocketEntry,
  type SocketTableName,
} from '@nodewright/linux';

/** Which network namespaces to read. */
export interface NamespaceSelection {
  /** The one of machined. */
  readonly hostnetwork: boolean;
  /** Names of network namespaces. */
  readonly netns: readonly string[];
  /** All named namespaces. */
  readonly allnetns: boolean;
}

/** A socket and its namespace. */
export interface FoundSocket {
  readonly table: SocketTableName;
  /** Empty for the host's. */
  readonly namespace: string;
  readonly entry: SocketEntry;
}

/** After this many lines the event loop gets a turn, because a busy node has a hundred thousand. */
const batchSize = 1000;

/**
 * The sockets in `tables` for which `isWanted` is true. A table that cannot be read (no IPv6, a namespace
 * without a process) is skipped. Source: Talos v1.14: Netstat.
 */
export async function readSockets(
  tables: readonly SocketTableName[],
  namespaces: NamespaceSelection,
  isWanted: (socket: SocketEntry) => boolean,
  signal: AbortSignal,
): Promise<FoundSocket[]> {
  const found: FoundSocket[] = [];
  let seen = 0;
  for (const { namespace, folder } of await placesOf(namespaces, signal)) {
    for (const table of tables) {
      const text = await readFile(`${folder}/${table}`, 'latin1').catch(() => '');
      for (const entry of parseSocketTable(text)) {
        if (isWanted(entry)) found.push({ table, namespace, entry });
        seen += 1;
        if (seen % batchSize !== 0) continue;
        await setImmediate();
        signal.throwIfAborted();
      }
    }
  }
  return found;
}

async function placesOf(
  { hostnetwork, netns, allnetns }: NamespaceSelection,
  signal: AbortSignal,
): Promise<{ namespace: string; folder: string }[]> {
  const names = allnetns ? networkNamespaceNames() : netns;
  const named = await findNetworkNamespaces(names, { signal });
  return [
    ...(hostnetwork ? [{ namespace: '', folder: '/proc/net' }] : []),
    ...named
      .filter(({ pid }) => pid !== undefined)
      .map(({ name, pid }) => ({ namespace: name, folder: `/proc/${pid}/net` })),
  ];
}
