import { existsSync, readFileSync } from 'node:fs';
import { locateCluster } from './cluster/read-cluster.ts';
import { type ClusterRef, type ProvisionerName, provisionerNames } from './domain/provisioner.ts';

/**
 * Returns the provisioner of a cluster; `undefined` when the cluster does not exist. For a damaged state, its
 * first line or the existence of the compose file is enough.
 */
export async function findProvisioner(ref: ClusterRef): Promise<ProvisionerName | undefined> {
  const folder = await locateCluster(ref, { make: false });
  if (!existsSync(folder.path)) return undefined;
  const name = /^provisionername: (\w+)$/m.exec(readText(folder.state))?.[1];
  const known = provisionerNames.find((provisioner) => provisioner === name);
  return known ?? (existsSync(folder.composeFile) ? 'docker' : undefined);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
