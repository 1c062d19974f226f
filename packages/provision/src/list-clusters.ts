import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { faultFrom } from '@nodewright/fault';
import { clusterFolder } from './cluster/cluster-folder.ts';
import { findCluster } from './cluster/read-cluster.ts';

/**
 * Returns the sorted names of the clusters in a folder, including clusters with a damaged state. Leaves out
 * folders that were not created by a provisioner.
 *
 * @throws Fault when the folder exists and cannot be read
 */
export async function listClusters(clustersFolder: string): Promise<readonly string[]> {
  const entries = await readdir(clustersFolder, { withFileTypes: true }).catch((error: unknown) => {
    const fault = faultFrom(error);
    if (fault.kind === 'not-found') return [];
    throw fault;
  });
  const names = await Promise.all(
    entries.map(async ({ name }) => {
      // No name of a cluster begins with a dot, but those of the folders of their locks do.
      if (name.startsWith('.')) return undefined;
      const found = await findCluster(clusterFolder(join(clustersFolder, name))).catch(() => undefined);
      return found === undefined || found.kind === 'cluster' ? name : undefined;
    }),
  );
  return names.filter((name) => name !== undefined).sort();
}
