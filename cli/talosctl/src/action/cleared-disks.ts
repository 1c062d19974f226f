import type { NodeClient, TalosClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';

/** Timeout of the question for the disks of a node, in milliseconds. */
const answerTimeoutMs = 5000;

/**
 * Sentences about the system disks that a reset of whole nodes clears, one per machine; none for nodes without a disk of
 * their own, and for nodes that do not answer.
 */
export async function clearedDisks(
  { targets }: Pick<TalosClient, 'targets'>,
  signal: AbortSignal,
): Promise<string[]> {
  const attempt = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
  const lines = await Promise.all(targets.map((node) => lineOf(node, attempt)));
  return lines.filter((line) => line !== undefined);
}

async function lineOf({ name, storage }: NodeClient, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { messages } = await storage.disks({}, { signal });
    const disk = messages.flatMap(({ disks }) => disks).find(({ systemDisk }) => systemDisk);
    if (disk === undefined) return undefined;
    return `${nodeNameInLine(name)} cannot start again from its disk ${disk.deviceName}, which is cleared (--system-labels-to-wipe STATE,EPHEMERAL keeps the system)`;
  } catch {
    return undefined;
  }
}
