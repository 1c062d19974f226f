import { readFileSync, rmSync } from 'node:fs';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { writePrivateFile } from '../cluster/write-private-file.ts';
import { startWishSignal } from '../domain/supervisor-message.ts';

/** Requests to a running supervisor to start or stop single nodes. */
export interface NodeWishes {
  readonly start: readonly string[];
  readonly stop: readonly string[];
}

/** Sends requests to the supervisor of a cluster. The caller holds the lock of the cluster. */
export async function sendNodeWishes(
  folder: ClusterFolder,
  supervisorPid: number,
  wishes: NodeWishes,
): Promise<void> {
  await writePrivateFile(folder.nodeWishes, `${JSON.stringify(wishes)}\n`);
  process.kill(supervisorPid, startWishSignal);
}

/**
 * Reads and removes the pending requests; returns `undefined` when there are none, or when the file is
 * damaged.
 */
export function takeNodeWishes(folder: ClusterFolder): NodeWishes | undefined {
  try {
    const wishes: unknown = JSON.parse(readFileSync(folder.nodeWishes, 'utf8'));
    rmSync(folder.nodeWishes, { force: true });
    return isNodeWishes(wishes) ? wishes : undefined;
  } catch {
    return undefined;
  }
}

function isNodeWishes(value: unknown): value is NodeWishes {
  if (typeof value !== 'object' || value === null) return false;
  const { start, stop } = value as Record<string, unknown>;
  const isNames = (names: unknown) => Array.isArray(names) && names.every((name) => typeof name === 'string');
  return isNames(start) && isNames(stop);
}
