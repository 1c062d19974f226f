import { isRegistry, isRepository } from '@nodewright/oci';
import type { ContentTarget } from '@nodewright/oci/serve';

/**
 * The same target with the registry that its repository begins with, such as `ghcr.io/owner/app`: for clients that cannot send the
 * parameter `ns`. `undefined` when its first part is no name of a host.
 */
export function registryInPath(target: ContentTarget): (ContentTarget & { registry: string }) | undefined {
  const slash = target.repository.indexOf('/');
  const registry = target.repository.slice(0, Math.max(slash, 0));
  const repository = target.repository.slice(slash + 1);
  if (!registry.includes('.') || !isRegistry(registry) || !isRepository(repository)) return undefined;
  return { ...target, registry, repository };
}
