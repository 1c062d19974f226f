import { isIP } from 'node:net';
import { type NodeClient, openTalosClient } from '@nodewright/client';
import { codecsOf } from '@nodewright/state';
import { members } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { bootIdChanged } from './boot-id.ts';
import type { PostCheck } from './node-action.ts';

/**
 * Checks that a node has come back after a reset: it is in maintenance, or, with its configuration kept, has another
 * boot id. Source: Talos v1.14: action tracking.
 */
export function maintenanceCheck(): PostCheck {
  const addresses = new Map<string, string>();
  return {
    async prepare(node, signal) {
      // Look up the address before the reset: afterwards the cluster may not know the node's name.
      addresses.set(node.name, await addressOf(node, signal));
      return await bootIdChanged.prepare(node, signal);
    },
    async hasPassed(node, before, signal) {
      if (await isInMaintenance(addresses.get(node.name) ?? node.name, signal)) return true;
      return await bootIdChanged.hasPassed(node, before, signal);
    },
  };
}

async function isInMaintenance(address: string, signal: AbortSignal): Promise<boolean> {
  using client = openTalosClient({
    nodes: [address],
    insecure: { fingerprints: [] },
    connectTimeoutMs: 3000,
  });
  try {
    await client.node(address).storage.disks({}, { signal });
    return true;
  } catch {
    return false;
  }
}

/** An address of the node from the cluster's members, or else its name. */
async function addressOf(node: NodeClient, signal: AbortSignal): Promise<string> {
  if (isIP(node.name) !== 0) return node.name;
  const state = createStateClient({ client: node.state, codecs: codecsOf([members]) });
  const list = await state.list(members, { signal }).catch(() => []);
  const known = list.find(({ metadata, spec }) => metadata.id === node.name || spec.hostname === node.name);
  return known?.spec.addresses[0] ?? node.name;
}
