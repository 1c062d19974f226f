import { ownedByCluster } from '@nodewright/containers/docker/owned-reference';
import type { Engine } from '../engine/index.ts';

/**
 * Takes away the tags by which the nodes of a cluster held images in the engine. Containers that used them must be gone.
 * An image that has no other tag goes with its last.
 */
export async function removeHeldImages(engine: Engine, cluster: string): Promise<void> {
  const { stdout } = await engine.ask(['image', 'ls', '--format', '{{.Repository}}:{{.Tag}}']);
  const held = stdout.split('\n').filter((name) => name.startsWith(ownedByCluster(cluster)));
  // What is in use by something else stays, and is nothing to fail for.
  if (held.length > 0) await engine.ask(['rmi', ...held]);
}
