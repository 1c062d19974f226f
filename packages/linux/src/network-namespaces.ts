import { readdirSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { processNumbers } from './process-numbers.ts';

/** A named network namespace, and a process in it. */
export interface NamedNetworkNamespace {
  readonly name: string;
  /** The namespace's socket tables are in `/proc/<pid>/net`. Undefined without a visible process. */
  readonly pid: number | undefined;
}

export interface NetworkNamespacesInit {
  /** Folder of the names; default `/var/run/netns`. */
  readonly folder?: string;
  /** Where procfs is mounted; default `/proc`. */
  readonly procRoot?: string;
  readonly signal?: AbortSignal;
}

const batchSize = 64;

/** The existing names; none without that folder. */
export function networkNamespaceNames(folder = '/var/run/netns'): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/**
 * For each of `names` the lowest process number in that namespace. Names that do not exist are left out.
 * Source: Talos v1.14: Netstat.
 */
export async function findNetworkNamespaces(
  names: readonly string[],
  init: NetworkNamespacesInit = {},
): Promise<NamedNetworkNamespace[]> {
  const { folder = '/var/run/netns', procRoot = '/proc', signal } = init;
  // Only existing names are looked up, so that a name cannot lead out of the folder, and unknown names cost
  // nothing.
  const there = new Set(networkNamespaceNames(folder));
  const wanted = [...new Set(names)]
    .filter((name) => there.has(name))
    .map((name) => ({ name, id: identity(`${folder}/${name}`) }))
    .filter(({ id }) => id !== undefined);
  if (wanted.length === 0) return [];

  const missing = new Set(wanted.map(({ id }) => id));
  const pidsById = new Map<string, number>();
  const pids = processNumbers(procRoot);
  for (const [index, pid] of pids.entries()) {
    if (missing.size === 0) break;
    if (index > 0 && index % batchSize === 0) {
      await setImmediate();
      signal?.throwIfAborted();
    }
    const id = identity(`${procRoot}/${pid}/ns/net`);
    if (id !== undefined && missing.delete(id)) pidsById.set(id, pid);
  }
  return wanted.map(({ name, id }) => ({ name, pid: pidsById.get(id as string) }));
}

/** Device and inode: equal for two paths of the same namespace. Undefined when the path cannot be read. */
function identity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
