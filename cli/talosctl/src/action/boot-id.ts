import type { NodeClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import type { PostCheck } from './node-action.ts';

const path = '/proc/sys/kernel/random/boot_id';

async function readBootId({ machine }: NodeClient, signal: AbortSignal): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const { bytes } of machine.read({ path }, { signal })) pieces.push(bytes);
  return Buffer.concat(pieces).toString().trim();
}

/** Checks that the node has rebooted, if the caller may read its boot id. Source: Talos v1.14: action tracking. */
export const bootIdChanged: PostCheck = {
  async prepare(node, signal) {
    try {
      return await readBootId(node, signal);
    } catch (error) {
      if (faultFrom(error).kind === 'permission-denied') return undefined;
      throw error;
    }
  },
  hasPassed: async (node, before, signal) => (await readBootId(node, signal)) !== before,
};
