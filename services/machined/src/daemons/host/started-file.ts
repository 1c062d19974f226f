import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { prepareFolder } from '../../base/host/prepare-folder.ts';

/**
 * Tells the daemons in containers of their own that this machined has started. They join the network of machined's container, and must be
 * started again when that one was: `tools/images/programs/follow-node.ts` looks at the time of this file, which each user may read.
 *
 * @param nowMs Unix time, which people find in the file
 */
export async function writeStartedFile(path: string, nowMs: number): Promise<void> {
  await prepareFolder({ path: dirname(path), mode: 0o755 });
  await writeFile(path, `${new Date(nowMs).toISOString()}\n`, { mode: 0o644 });
}
