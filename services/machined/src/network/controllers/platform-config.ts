import { type Controller, shared } from '@nodewright/controllers';
import { platformConfigs } from '@nodewright/state/kinds';
import { type PlatformFacts, platformConfigOf } from '../domain/platform-config.ts';

/** The platform's settings do not change, except the name servers of the environment. */
const rereadMs = 60_000;

/**
 * The network configuration of the node's creator.
 *
 * @param read collects it; when it fails, it is retried Source: Talos v1.14:
 * network.PlatformConfigController.
 */
export function createPlatformConfigController(read: () => Promise<PlatformFacts>): Controller {
  return {
    name: 'network.PlatformConfigController',
    inputs: [],
    // Another controller owns the configuration of the last boot.
    outputs: [shared(platformConfigs)],
    async reconcile(pass) {
      await pass.replace(platformConfigs, [{ id: 'active', spec: platformConfigOf(await read()) }]);
      pass.wakeAfter(rereadMs);
    },
  };
}
