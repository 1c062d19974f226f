import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { prepareFolder } from '../../base/host/prepare-folder.ts';

/**
 * Tells a neighbour without a runtime socket that this machined has started. The container of a neighbour joins the network of machined's
 * container, and must be started again when that one was: `tools/images/programs/follow-node.ts` looks at the time of this file.
 *
 * @param nowMs Unix time, which people find in the file
 */
export async function writeStartedFile(path: string, nowMs: number): Promise<void> {
  await prepareFolder({ path: dirname(path), mode: 0o750 });
  await writeFile(path, `${new Date(nowMs).toISOString()}\n`, { mode: 0o640 });
}
