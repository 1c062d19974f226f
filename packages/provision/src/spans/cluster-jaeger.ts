import { clusterFolder } from '../cluster/cluster-folder.ts';
import { findCluster } from '../cluster/read-cluster.ts';

/**
 * The address of the Jaeger that belongs to a cluster of containers. Undefined for other kinds of clusters, and when the folder has no cluster.
 *
 * @param folder the folder of the cluster
 * @throws Fault when the state of the cluster cannot be read
 */
export async function clusterJaeger(folder: string): Promise<string | undefined> {
  const found = await findCluster(clusterFolder(folder));
  const port = found.kind === 'cluster' ? found.state.stack?.jaegerPort : undefined;
  return port ? `http://127.0.0.1:${port}` : undefined;
}
