import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { faultFrom } from '@nodewright/fault';
import { clusterFolder } from './cluster/cluster-folder.ts';
import { findCluster } from './cluster/read-cluster.ts';

/**
 * Names of the clusters in a folder, sorted, also of those whose state is damaged. What no provisioner made is left out.
 *
 * @throws Fault when the folder is there and cannot be read
 */
export async function listClusters(clustersFolder: string): Promise<readonly string[]> {
  const entries = await readdir(clustersFolder, { withFileTypes: true }).catch((error: unknown) => {
    const fault = faultFrom(error);
    if (fault.kind === 'not-found') return [];
    throw fault;
  });
  const names = await Promise.all(
    entries.map(async ({ name }) => {
      const found = await findCluster(clusterFolder(join(clustersFolder, name))).catch(() => undefined);
      return found === undefined || found.kind === 'cluster' ? name : undefined;
    }),
  );
  return names.filter((name) => name !== undefined).sort();
}
