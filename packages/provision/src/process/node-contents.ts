import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nodePaths } from '@nodewright/contract';
import { faultFrom } from '@nodewright/fault';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';

/**
 * Whether a node has no configuration, as after a reset. A configuration that cannot be looked at is not a missing one: then the node is
 * waited for, and says why it does not start.
 */
export function isNodeWiped(folder: Pick<ClusterFolder, 'nodeRoot'>, node: string): boolean {
  try {
    statSync(join(folder.nodeRoot(node), nodePaths.machineConfig));
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/**
 * Whether a node has data of etcd.
 *
 * @throws Fault when that cannot be looked at: a cluster whose data are not seen would be made a new one
 */
export function hasEtcdData(folder: Pick<ClusterFolder, 'nodeRoot'>, node: string): boolean {
  try {
    return readdirSync(join(folder.nodeRoot(node), nodePaths.etcdData)).length > 0;
  } catch (error) {
    const fault = faultFrom(error);
    if (fault.kind === 'not-found') return false;
    throw fault;
  }
}
