import { ownedByCluster } from '@nodewright/containers/docker/owned-reference';
import type { Engine } from '../engine/index.ts';

/**
 * Removes the tags with which the nodes of a cluster kept images in the engine. The engine deletes an image
 * together with its last tag. The containers that used the images must have been removed before.
 */
export async function removeHeldImages(engine: Engine, cluster: string): Promise<void> {
  const { stdout } = await engine.ask(['image', 'ls', '--format', '{{.Repository}}:{{.Tag}}']);
  const held = stdout.split('\n').filter((name) => name.startsWith(ownedByCluster(cluster)));
  // Ignore failures: an image that another container uses is kept.
  if (held.length > 0) await engine.ask(['rmi', ...held]);
}
