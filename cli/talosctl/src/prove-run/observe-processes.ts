import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObservedProcess } from '@nodewright/node-files';
import { type ClusterView, type NodeProcess, readNodeProcesses } from '@nodewright/provision';

/** Files of configuration and keys are smaller. */
const maxFileBytes = 4 * 1024 * 1024;

/** The processes of each node, with digests of the files that their arguments name. */
export async function observeProcesses({
  folder,
  nodes,
}: Pick<ClusterView, 'folder' | 'nodes'>): Promise<ReadonlyMap<string, readonly ObservedProcess[]>> {
  const observed = new Map<string, readonly ObservedProcess[]>();
  for (const [node, processes] of readNodeProcesses(nodes)) {
    const root = join(folder, 'nodes', node);
    observed.set(node, await Promise.all(processes.map((process) => observe(process, root))));
  }
  return observed;
}

async function observe({ name, pid, args }: NodeProcess, root: string): Promise<ObservedProcess> {
  const files: Record<string, string> = {};
  for (const path of filesOf(args, root)) {
    const digest = await digestOf(join(root, path));
    if (digest !== undefined) files[path] = digest;
  }
  return { name, pid, args, files };
}

/** Paths below the root of the node that hold configuration or keys. Logs and data change all the time. */
export function filesOf(args: readonly string[], root: string): string[] {
  const paths = args.flatMap((word) => {
    const value = word.startsWith('--') ? word.slice(word.indexOf('=') + 1) : word;
    const isInside = ['/system/config/', '/system/secrets/'].some((folder) =>
      value.startsWith(root + folder),
    );
    return isInside ? [value.slice(root.length)] : [];
  });
  return [...new Set(paths)].toSorted();
}

/** `undefined` for a file that does not exist, and for a folder. */
async function digestOf(path: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(path);
    return createHash('sha256').update(bytes.subarray(0, maxFileBytes)).digest('hex');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR') return undefined;
    throw error;
  }
}
