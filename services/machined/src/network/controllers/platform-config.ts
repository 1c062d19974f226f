import { type Controller, shared } from '@nodewright/controllers';
import { platformConfigs } from '@nodewright/state/kinds';
import { type PlatformFacts, platformConfigOf } from '../domain/platform-config.ts';

/** What is given does not change, but for what the surroundings say of name servers. */
const rereadMs = 60_000;

/**
 * The network as those want it who made the node.
 *
 * @param read gathers what they have given; it may fail, and is asked again then
 *
 * Source: Talos v1.14: network.PlatformConfigController.
 */
export function createPlatformConfigController(read: () => Promise<PlatformFacts>): Controller {
  return {
    name: 'network.PlatformConfigController',
    inputs: [],
    // The configuration of the last boot is another controller's.
    outputs: [shared(platformConfigs)],
    async reconcile(pass) {
      await pass.replace(platformConfigs, [{ id: 'active', spec: platformConfigOf(await read()) }]);
      pass.wakeAfter(rereadMs);
    },
  };
}
