import type { EndpointsOf } from '@nodewright/oci';
import { followResource, pointerTo, type State } from '@nodewright/state';
import { registryConfigs } from '@nodewright/state/kinds';

/**
 * Where registries are reachable, by the mirrors, credentials and TLS settings of the node as they are at each call.
 *
 * @param scope ends the watch of these settings
 */
export async function followRegistryEndpoints(
  state: State,
  scope: AsyncDisposableStack,
): Promise<EndpointsOf> {
  const registries = scope.use(await followResource(state, pointerTo(registryConfigs)));
  // Loaded on demand: only machines pull images themselves.
  const { ownEndpoints, registryEndpoints } = await import('@nodewright/oci');
  return (registry) => {
    const settings = registries.current()?.spec ?? { mirrors: {}, auths: {}, tls: {} };
    return registryEndpoints(settings, ownEndpoints)(registry);
  };
}
