import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { serveLayout } from '../boot/layout-registry.ts';
import { openHome, openProcessCluster, type ProcessCluster } from '../cluster/process/process-cluster.ts';
import { type ProcessArtefactInit, writeProcessArtefact } from './process-artefact.ts';

/**
 * Opens a cluster of processes with etcd whose nodes find artefacts in registries.
 *
 * @param artefacts by the host that their registry has in the name of an image
 */
export async function openUpgradable(
  scope: AsyncDisposableStack,
  shape: { readonly controlPlanes: number; readonly workers: number },
  artefacts: Readonly<Record<string, ProcessArtefactInit>>,
  init: { readonly name?: string } = {},
): Promise<ProcessCluster> {
  const home = scope.use(await openHome()).path;
  const mirrors: Record<string, object> = {};
  for (const [host, artefact] of Object.entries(artefacts)) {
    const folder = join(home, 'artefacts', host);
    mkdirSync(folder, { recursive: true });
    const registry = scope.use(await serveLayout(writeProcessArtefact(folder, artefact).layout));
    mirrors[host] = { endpoints: [registry.localUrl] };
  }
  const patch = JSON.stringify({ machine: { registries: { mirrors } } });
  const flags = ['--config-patch', patch];
  return scope.use(await openProcessCluster(shape, { home, etcd: true, flags, ...init }));
}
