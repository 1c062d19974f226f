import { Fault } from '@nodewright/fault';
import type { NodeClient } from '../node-client.ts';
import type { ClusterNodes } from './health-check.ts';
import { listResources } from './read-resource.ts';

/**
 * Reads the nodes of a cluster from the `Members` resources of one node.
 *
 * @throws Fault `failed-precondition` when the node has no members, or a member has no address
 */
export async function discoverNodes(node: NodeClient, signal: AbortSignal): Promise<ClusterNodes> {
  const members = await listResources(
    node,
    { namespace: 'cluster', type: 'Members.cluster.talos.dev' },
    signal,
  );
  if (members === undefined || members.length === 0) {
    throw new Fault(
      'failed-precondition',
      `node ${node.name} has no list of the nodes of its cluster: name the control planes and the workers`,
    );
  }
  const found: { controlPlanes: string[]; workers: string[] } = { controlPlanes: [], workers: [] };
  for (const { addresses, hostname, machineType } of members) {
    const [address] = Array.isArray(addresses) ? (addresses as unknown[]) : [];
    if (typeof address !== 'string') {
      throw new Fault('failed-precondition', `member "${String(hostname)}" has no address`);
    }
    (machineType === 'worker' ? found.workers : found.controlPlanes).push(address);
  }
  return found;
}
