import { isIP } from 'node:net';
import { type NodeClient, openTalosClient } from '@nodewright/client';
import { codecsOf } from '@nodewright/state';
import { members } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { bootIdChanged } from './boot-id.ts';
import type { PostCheck } from './node-action.ts';

/** An attempt ends earlier. A node on a busy host needs more than three seconds for a TLS handshake. */
const connectTimeoutMs = 10_000;

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
      // At the same time: each may take as long as the whole attempt on a busy host, or when nothing answers.
      const over = new AbortController();
      const either = AbortSignal.any([signal, over.signal]);
      const checks = [
        isInMaintenance(addresses.get(node.name) ?? node.name, either),
        bootIdChanged.hasPassed(node, before, either),
      ];
      try {
        return await anyIsTrue(checks);
      } finally {
        over.abort();
      }
    },
  };
}

/** Whether any of them resolves to true; does not wait for the others then. */
async function anyIsTrue(checks: readonly Promise<boolean>[]): Promise<boolean> {
  const passed = checks.map(async (check) => {
    if (!(await check)) throw new Error('the check has not passed');
    return true;
  });
  return await Promise.any(passed).catch(() => false);
}

async function isInMaintenance(address: string, signal: AbortSignal): Promise<boolean> {
  using client = openTalosClient({
    nodes: [address],
    insecure: { fingerprints: [] },
    connectTimeoutMs,
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
