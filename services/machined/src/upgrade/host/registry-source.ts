import type { EndpointsOf } from '@nodewright/oci';
import { followResource, pointerTo, type State } from '@nodewright/state';
import { registryConfigs } from '@nodewright/state/kinds';
import type { Telemetry } from '@nodewright/telemetry';
import type { ArtefactSource } from '../domain/artefact-source.ts';

export interface RegistrySourceInit {
  readonly state: State;
  readonly telemetry: Telemetry;
  /** A monotonic clock. */
  readonly nowMs: () => number;
}

/**
 * Reads artefacts from their registries, through the mirrors and with the credentials of the configuration. The client of registries is
 * loaded at the first call.
 */
export function createRegistrySource({ state, telemetry, nowMs }: RegistrySourceInit): ArtefactSource {
  return {
    async open(image, signal) {
      const [
        { registryStream },
        { openDistributionClient, ownEndpoints, parseImageReference, registryEndpoints },
      ] = await Promise.all([import('@nodewright/installer'), import('@nodewright/oci')]);
      const reference = parseImageReference(image);
      await using opened = new AsyncDisposableStack();
      const registries = opened.use(await followResource(state, pointerTo(registryConfigs)));
      const endpointsOf: EndpointsOf = (registry) =>
        registryEndpoints(
          registries.current()?.spec ?? { mirrors: {}, auths: {}, tls: {} },
          ownEndpoints,
        )(registry);
      const client = opened.use(openDistributionClient({ telemetry, endpointsOf }));
      const content = registryStream({ client, reference, nowMs, signal });
      const scope = opened.move();
      return {
        root: () => content.root(),
        read: (descriptor) => content.read(descriptor),
        async [Symbol.asyncDispose]() {
          await scope.disposeAsync();
        },
      };
    },
  };
}
